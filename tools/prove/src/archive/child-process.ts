import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** One bundle under dist/ that runs, and is started again whenever it was killed. */
export interface KillableProcess {
  /** SIGKILL, and a new one at once. */
  killAndRestart(): Promise<void>;
  /** SIGTERM; resolves with its exit code. */
  stop(): Promise<number | null>;
}

export function runBundle(name: string, env: NodeJS.ProcessEnv): KillableProcess {
  const start = (): ChildProcess =>
    spawn(process.execPath, [join(workspaceRoot(), 'dist', `${name}.js`)], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  let running = start();
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (running.exitCode !== null || running.signalCode !== null) return running.exitCode;
    const exited = once(running, 'exit');
    running.kill(signal);
    await exited;
    return running.exitCode;
  };
  return {
    async killAndRestart() {
      await end('SIGKILL');
      running = start();
    },
    stop: () => end('SIGTERM'),
  };
}
