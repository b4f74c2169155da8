import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spawn } from 'node:child_process';
import { workspaceRoot } from '@market-state/launcher';
import { findPython } from './find-program';
import { openConfiguredAgent, type ConfiguredServer } from './agents';

const TIME_LIMIT_MS = 300_000;

interface ProgramRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

function runProgram(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIME_LIMIT_MS });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output, errors }));
  });
}

interface PageBlock {
  /** Language of its fence; empty for terminal or program output. */
  readonly language: string;
  readonly code: string;
  readonly tab: string | null;
  /**
   * `alone`: runs by itself. `on`: continues after the earlier blocks of its language, as in one session. Null: does
   * not run.
   */
  readonly runs: 'alone' | 'on' | null;
  readonly unrun: string | null;
}

const BLOCK = /^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm;

export function blocksOf(markdown: string): readonly PageBlock[] {
  return [...markdown.matchAll(BLOCK)].map(([, language = '', marks = '', code = '']) => ({
    language,
    code,
    tab: /\btab="([^"]+)"/.exec(marks)?.[1] ?? null,
    runs: /^ run on\b/.test(marks) ? 'on' : /^ run\b/.test(marks) ? 'alone' : null,
    unrun: /^ unrun="([^"]+)"/.exec(marks)?.[1] ?? null,
  }));
}

interface Surroundings {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

type BlockOutcome = ProgramRun & { readonly exports?: NodeJS.ProcessEnv };

/** Runs code after the blocks in `before`. */
type RunCode = (code: string, before: readonly string[], at: Surroundings) => Promise<BlockOutcome>;

const MARK = '----here----';

const LANGUAGES: Readonly<Record<string, RunCode>> = {
  async sh(code, before, { folder, env }) {
    const script = `set -eo pipefail\n${[...before, code].join('\n')}\nprintf '%s\\n' '${MARK}'\nenv -0\n`;
    const { output, ...run } = await runProgram('bash', ['-c', script], folder, env);
    const [printed = '', after = ''] = output.split(`${MARK}\n`);
    const entries = after.split('\0').flatMap((entry) => {
      const at = entry.indexOf('=');
      return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)] as const] : [];
    });
    return { ...run, output: printed, exports: Object.fromEntries(entries.filter(([name]) => /^[A-Z_]+$/.test(name))) };
  },
  async ts(code, before, { folder, env }) {
    const file = join(folder, 'block.mts');
    writeFileSync(file, [...before, `console.log('${MARK}');`, code].join('\n'));
    const loader = pathToFileURL(join(workspaceRoot(), 'node_modules', '@oxc-node', 'core', 'register.mjs')).href;
    return sinceMark(await runProgram(process.execPath, ['--import', loader, file], folder, env));
  },
  async python(code, before, { folder, env }) {
    const file = join(folder, 'block.py');
    writeFileSync(file, [...before, `print("${MARK}", flush=True)`, code].join('\n'));
    return sinceMark(await runProgram('python', [file], folder, env));
  },
  json: (code, _before, at) => useConfiguration(code, at),
};

function sinceMark(run: ProgramRun): ProgramRun {
  return { ...run, output: run.output.split(`${MARK}\n`).at(-1) ?? '' };
}

async function useConfiguration(code: string, { env }: Surroundings): Promise<ProgramRun> {
  const filled = code.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? '');
  const { mcpServers } = JSON.parse(filled) as { readonly mcpServers: Readonly<Record<string, ConfiguredServer>> };
  const lines: string[] = [];
  try {
    for (const [name, server] of Object.entries(mcpServers)) {
      const agent = await openConfiguredAgent(server, env);
      try {
        const { isError, body } = await agent.call('overview');
        if (isError) throw new Error(JSON.stringify(body));
        lines.push(`${name}: ${JSON.stringify(body)}\n`);
      } finally {
        await agent.close();
      }
    }
  } catch (error) {
    return { exitCode: 1, output: lines.join(''), errors: String(error) };
  }
  return { exitCode: 0, output: lines.join(''), errors: '' };
}

/**
 * pip and venv install the client; blocks import the other modules, which come from this machine, without downloads.
 */
const PYTHON_MODULES = ['pip', 'venv', 'pandas', 'cryptography'];

export interface BlockRun extends BlockOutcome {
  readonly block: PageBlock;
  readonly tookMs: number;
}

interface Reader {
  leavesOut(block: PageBlock): boolean;
  /**
   * Later blocks see what earlier shell blocks exported.
   * @param given additional variables, such as a key
   */
  read(markdown: string, given?: NodeJS.ProcessEnv): Promise<readonly BlockRun[]>;
  close(): void;
}

/** Packages come only from the service named on the pages, never from a registry. */
export async function openReader({ withPython }: { readonly withPython: boolean }): Promise<Reader> {
  const folder = mkdtempSync(join(tmpdir(), 'market-state-reader-'));
  const python = withPython ? findPython(PYTHON_MODULES) : null;
  const programs = [join(folder, 'python', 'bin'), process.env['PATH'] ?? '', join(workspaceRoot(), 'node_modules', '.bin')];
  const env = { PATH: programs.join(delimiter), HOME: folder, TMPDIR: folder, ...WITHOUT_REGISTRY };
  if (python !== null) {
    const args = ['-m', 'venv', '--system-site-packages', join(folder, 'python')];
    const { exitCode, errors } = await runProgram(python, args, folder, env);
    if (exitCode !== 0) throw new Error(`The Python environment could not be created: ${errors}`);
  }
  const leavesOut = ({ language, tab }: PageBlock): boolean => python === null && (language === 'python' || tab === 'Python');
  return {
    leavesOut,
    async read(markdown, given = {}) {
      const runs: BlockRun[] = [];
      const before: Record<string, string[]> = {};
      let has: NodeJS.ProcessEnv = { ...env, ...given };
      for (const block of blocksOf(markdown).filter((each) => each.runs !== null && !leavesOut(each))) {
        const run = LANGUAGES[block.language];
        if (run === undefined) throw new Error(`A ${block.language} block is marked to run, but that language is not supported here.`);
        const earlier = (before[block.language] ??= []);
        const startedMs = performance.now();
        const outcome = await run(block.code, block.runs === 'on' ? earlier : [], { folder, env: has });
        runs.push({ ...outcome, block, tookMs: performance.now() - startedMs });
        if (block.runs === 'alone') earlier.length = 0;
        earlier.push(block.code);
        has = { ...has, ...outcome.exports };
      }
      return runs;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const WITHOUT_REGISTRY = {
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  npm_config_registry: 'http://127.0.0.1:9/',
  PIP_NO_INDEX: '1',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  PIP_ROOT_USER_ACTION: 'ignore',
};
