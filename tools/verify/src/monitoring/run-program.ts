import type { Closer } from '@market-state/lifecycle';
import { endProcess, spawnOwned, waitUntil } from '@market-state/testing';

const READY_MS = 60_000;

export interface ProgramPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** User that it runs as; absent: ours. */
  readonly uid?: number;
  /** Whether it takes calls. */
  readonly isReady: () => Promise<boolean>;
}

/** Runs a program until the suite ends; resolves once it takes calls. @throws Error with its last lines when it does not */
export async function runProgram(closer: Closer, name: string, { file, args, env, uid, isReady }: ProgramPlan): Promise<void> {
  const program = spawnOwned(file, args, {
    env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGINT',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let said = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  closer.add(name, () => endProcess(program, 'SIGINT'));
  const isThere = async (): Promise<boolean> => {
    if (program.exitCode !== null) return true;
    return isReady();
  };
  await waitUntil(`${name} ready`, isThere, READY_MS).catch((error: Error) => {
    throw new Error(`${name} did not start: ${said}`, { cause: error });
  });
  if (program.exitCode !== null) throw new Error(`${name} ended with ${program.exitCode}: ${said}`);
}
