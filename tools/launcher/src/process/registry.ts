import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess } from './end-process';
import { identityOf, isAlive } from './identity';
import type { ProcessIdentity } from './identity';

/** A process as `DATA_DIR/processes.json` lists it. */
export interface RegisteredProcess extends ProcessIdentity {
  name: string;
  /** The ports it listens on, by purpose. */
  ports: Record<string, number>;
  /** Base address of its metrics and health pages, where it has them. */
  opsUrl?: string;
}

/** The content of `processes.json`. */
export interface ProcessList {
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
