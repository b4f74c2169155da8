import { readdirSync, readFileSync } from 'node:fs';
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

/** Resolves when no process of the group that `pid` led runs any more. A killed process closes its pipes before it is gone. */
export async function groupEnd(pid: number): Promise<void> {
  while (runsInGroup(pid)) await delay(pollMs);
}

function runsInGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0);
  } catch {
    return false;
  }
  // A zombie counts for kill, but it does not run.
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isMember(entry, pid));
}

function isMember(entry: string, groupPid: number): boolean {
  try {
    const [state, , group] = readFileSync(`/proc/${entry}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    return Number(group) === groupPid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
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
