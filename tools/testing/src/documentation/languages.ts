import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { workspaceRoot } from '@market-state/launcher';
import { openConfiguredAgent, type ConfiguredServer } from '../agents/open-agent';
import { type ProgramRun, runProgram } from './run-program';

/** Where a block runs: the folder that the reader stands in, and what the reader's shell has. */
export interface Surroundings {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How a block went, and what it exported. */
export type BlockOutcome = ProgramRun & { readonly exports?: NodeJS.ProcessEnv };

/** Runs code; `before` are the blocks that it goes on from. */
type RunCode = (code: string, before: readonly string[], at: Surroundings) => Promise<BlockOutcome>;

const MARK = '----here----';

/** How a block of each language is run. */
export const LANGUAGES: Readonly<Record<string, RunCode>> = {
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

/** Takes a block as the configuration of an agent, connects to each server that it names, and asks for an overview. */
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
