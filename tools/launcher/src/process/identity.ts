import { readFileSync, readlinkSync } from 'node:fs';

/** What tells one process from a later one that was given the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, as text (`/proc/<pid>/stat`, field 22). */
  startTicks: string;
  /** The kernel's id of this boot. */
  bootId: string;
}

/** The identity of a live process; undefined when it is gone or a zombie. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    // The command, field 2, stands in parentheses and may hold spaces: fields are counted from after it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (startTicks === undefined || state === 'Z') return undefined;
    return { pid, startTicks, bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() };
  } catch {
    return undefined;
  }
}

/** Whether that very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** The folder that a live process runs in; undefined when it is gone. */
export function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}
