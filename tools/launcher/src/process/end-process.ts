import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './identity';
import type { ProcessIdentity } from './identity';

const pollMs = 20;

/**
 * Ends a process group by its leader, which need not be a child of this process: `signal` first, SIGKILL when the leader
 * still runs after `graceMs`. Resolves when it is gone; a process that merely has the same pid is left alone.
 */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  if (!isAlive(identity)) return;
  signalGroup(identity.pid, signal);
  const killAt = performance.now() + graceMs;
  let killed = false;
  while (isAlive(identity)) {
    if (!killed && performance.now() >= killAt) {
      signalGroup(identity.pid, 'SIGKILL');
      killed = true;
    }
    await delay(pollMs);
  }
}

/** Signals every process of the group that `pid` leads or led; a group that is gone is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
