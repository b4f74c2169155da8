import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { warden } from '@market-state/launcher';

export interface OwnedOptions extends SpawnOptions {
  /** Sent when this process is gone; SIGKILL follows after 5 s. By default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** Spawns a program in a process group of its own, which the launcher's warden ends when this process is gone, however it ends. */
export function spawnOwned(command: string, args: readonly string[], { stopSignal = 'SIGTERM', ...options }: OwnedOptions): ChildProcess {
  const child = spawn(command, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    warden().own(pid, stopSignal);
    child.once('exit', () => warden().disown(pid));
  }
  return child;
}

/** Signals a process and resolves when it has ended; does nothing if it has ended already. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
