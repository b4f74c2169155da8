import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '@market-state/launcher';

/** Code of a page that has to run as it stands. */
interface RunBlock {
  readonly language: string;
  readonly code: string;
}

/** What a block printed, and how it ended. */
interface BlockRun {
  readonly language: string;
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

const BLOCK = /^```(\w+) run\b[^\n]*\n([\s\S]*?)^```$/gm;
const TIME_LIMIT_MS = 60_000;

/** The blocks marked `run` in a page's Markdown, in its order. */
function runBlocksOf(markdown: string): readonly RunBlock[] {
  return [...markdown.matchAll(BLOCK)].map(([, language = '', code = '']) => ({ language, code }));
}

/**
 * Runs the blocks of one page as a reader would, one after the other: what a shell block exports, later ones have. TypeScript is run by
 * Node where `@market-state/client` is that of the workspace.
 * @param env what the reader has, such as a key
 */
export async function runPage(markdown: string, env: NodeJS.ProcessEnv): Promise<readonly BlockRun[]> {
  const runs: BlockRun[] = [];
  let given = env;
  for (const block of runBlocksOf(markdown)) {
    const { exports, ...run } =
      block.language === 'sh' ? await runShell(block, given) : { ...(await runTypeScript(block, given)), exports: {} };
    runs.push(run);
    given = { ...given, ...exports };
  }
  return runs;
}

const MARK = '----exports----';

async function runShell({ language, code }: RunBlock, env: NodeJS.ProcessEnv) {
  const script = `set -eo pipefail\n${code}\nprintf '%s\\n' '${MARK}'\nenv -0\n`;
  const { exitCode, output, errors } = await finish('bash', ['-c', script], env);
  const [printed = '', after = ''] = output.split(`${MARK}\n`);
  const entries = after.split('\0').flatMap((entry) => {
    const at = entry.indexOf('=');
    return at > 0 ? [[entry.slice(0, at), entry.slice(at + 1)] as const] : [];
  });
  return { language, exitCode, output: printed, errors, exports: Object.fromEntries(entries.filter(([name]) => /^[A-Z_]+$/.test(name))) };
}

async function runTypeScript({ language, code }: RunBlock, env: NodeJS.ProcessEnv): Promise<BlockRun> {
  const file = join(workspaceRoot(), 'tools', 'testing', `.run-block-${process.pid}.mts`);
  writeFileSync(file, code);
  try {
    const loader = pathToFileURL(createRequire(__filename).resolve('tsx')).href;
    return { language, ...(await finish(process.execPath, ['--import', loader, file], env)) };
  } finally {
    rmSync(file, { force: true });
  }
}

function finish(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Omit<BlockRun, 'language'>> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIME_LIMIT_MS });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output, errors }));
  });
}
