import { spawn } from 'node:child_process';

const TIME_LIMIT_MS = 300_000;

/** What a program printed, and how it ended. */
export interface ProgramRun {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program without input, for a minute at most, with this environment and no other. */
export function runProgram(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIME_LIMIT_MS });
    let [output, errors] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, output, errors }));
  });
}
