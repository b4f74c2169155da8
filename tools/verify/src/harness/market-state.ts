import { execFile } from 'node:child_process';
import { userProgramFile } from '@market-state/launcher';

/** Runs the command `market-state` as an operator does, with nothing of this process's environment but PATH. Never rejects. */
export function runMarketState(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ readonly code: number /** Both outputs. */; readonly text: string }> {
  const program = userProgramFile();
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env: { PATH: process.env['PATH'], ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    );
  });
}
