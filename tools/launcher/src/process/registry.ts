import { readFileSync, renameSync, rmSync, writeFileSync, readlinkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

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

/** A process as `DATA_DIR/processes.json` lists it. */
export interface RegisteredProcess extends ProcessIdentity {
  name: string;
  /** The ports it listens on, by purpose. */
  ports: Record<string, number>;
  /** Base address of its metrics and health pages, where it has them. */
  opsUrl?: string;
}

/** The content of `processes.json`. */
interface ProcessList {
  launcher: ProcessIdentity;
  processes: RegisteredProcess[];
}

/** The list of what this launcher has running, on disk at every moment, so that the next one can end what is left over. */
export interface Registry {
  put(name: string, pid: number, details: Pick<RegisteredProcess, 'ports' | 'opsUrl'>): void;
  remove(name: string): void;
  /** Ends this list and removes its file. */
  close(): void;
}

const graceMs = 5_000;

/** The file that lists the processes of a data folder. */
function processListFile(dataDir: string): string {
  return join(dataDir, 'processes.json');
}

/** The list a launcher has left, or has running, in this data folder; undefined when there is none that can be read. */
export function readProcessList(dataDir: string): ProcessList | undefined {
  try {
    return JSON.parse(readFileSync(processListFile(dataDir), 'utf8')) as ProcessList;
  } catch {
    return undefined;
  }
}

/**
 * Ends what an earlier launcher of this data folder left running and starts a new list. The caller holds the folder's
 * lock, so whatever is listed belongs to a launcher that is gone.
 * @returns the names of the processes that were ended, and the new list
 */
export async function openRegistry(dataDir: string): Promise<{ registry: Registry; ended: string[] }> {
  const leftOver = readProcessList(dataDir)?.processes ?? [];
  const alive = leftOver.filter(isAlive);
  const services = alive.filter((entry) => !isStore(entry));
  await Promise.all(services.map((entry) => endProcess(entry, 'SIGTERM', graceMs)));
  await Promise.all(alive.filter(isStore).map((entry) => endProcess(entry, 'SIGINT', graceMs)));

  const self = identityOf(process.pid);
  if (self === undefined) throw new Error('This process cannot read its own entry under /proc.');
  const entries = new Map<string, RegisteredProcess>();
  const file = processListFile(dataDir);
  const write = (): void => {
    const list: ProcessList = { launcher: self, processes: [...entries.values()] };
    writeFileSync(`${file}.new`, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  write();
  const registry: Registry = {
    put(name, pid, details) {
      const identity = identityOf(pid);
      if (identity === undefined) return;
      entries.set(name, { name, ...identity, ...details });
      write();
    },
    remove(name) {
      if (entries.delete(name)) write();
    },
    close() {
      entries.clear();
      rmSync(file, { force: true });
    },
  };
  return { registry, ended: alive.map((entry) => entry.name) };
}

/** Stores end after the services that write to them; SIGINT is what both take as a fast, clean stop. */
function isStore(entry: RegisteredProcess): boolean {
  return entry.name === 'postgres' || entry.name === 'redis';
}
