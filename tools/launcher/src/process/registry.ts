import { readFileSync, renameSync, rmSync, writeFileSync, readlinkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 20;

/**
 * Ends a process group, which need not be a child: sends `signal`, then SIGKILL after `graceMs`. Ignores a process that
 * merely reuses the pid.
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

/** Resolves when no process of the group runs. A killed process closes its pipes before it disappears. */
export async function groupEnd(pid: number): Promise<void> {
  while (runsInGroup(pid)) await delay(pollMs);
}

function runsInGroup(pid: number): boolean {
  try {
    process.kill(-pid, 0);
  } catch {
    return false;
  }
  // kill counts zombies, but they do not run.
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

export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, as text (`/proc/<pid>/stat`, field 22). */
  startTicks: string;
  bootId: string;
}

export function identityOf(pid: number): ProcessIdentity | undefined {
  try {
    // Field 2, the command, is in parentheses and may contain spaces.
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

export function isAlive(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

export function folderOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

export interface RegisteredProcess extends ProcessIdentity {
  name: string;
  ports: Record<string, number>;
  opsUrl?: string;
}

interface ProcessList {
  launcher: ProcessIdentity;
  processes: RegisteredProcess[];
}

export interface Registry {
  put(name: string, pid: number, details: Pick<RegisteredProcess, 'ports' | 'opsUrl'>): void;
  remove(name: string): void;
  close(): void;
}

const graceMs = 5_000;

function processListFile(dataDir: string): string {
  return join(dataDir, 'processes.json');
}

export function readProcessList(dataDir: string): ProcessList | undefined {
  try {
    return JSON.parse(readFileSync(processListFile(dataDir), 'utf8')) as ProcessList;
  } catch {
    return undefined;
  }
}

/**
 * Ends processes left by an earlier launcher and starts a new list. The caller must hold the folder's lock, so every
 * listed process belongs to a dead launcher.
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

/** Stores end after the services that write to them; both treat SIGINT as a fast, clean stop. */
function isStore(entry: RegisteredProcess): boolean {
  return entry.name === 'postgres' || entry.name === 'redis';
}
