import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Linux counts CPU time in hundredths of a second for every program that asks. */
const MS_PER_TICK = 10;

interface Entry {
  readonly pid: number;
  readonly parentPid: number;
  readonly isZombie: boolean;
  /** Of all its threads. */
  readonly cpuMs: number;
  /** Clock ticks since boot: tells it from a later process with the same pid. */
  readonly startTicks: string;
}

/** A process of the tree, as of now; undefined when there is none. */
function entryOf(pid: number): Entry | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  // The command stands in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return {
    pid,
    parentPid: Number(fields[1]),
    isZombie: fields[0] === 'Z',
    cpuMs: (user + system) * MS_PER_TICK,
    startTicks: fields[19] ?? '',
  };
}

function allEntries(): Entry[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => entryOf(Number(name)) ?? []);
}

/** Every process below these; `leftOut` and what is below it does not count. */
function entriesBelow(ancestorPids: readonly number[], leftOut = 0): Entry[] {
  const all = allEntries().filter(({ pid }) => pid !== leftOut);
  const found = new Map<number, Entry>();
  for (let parents = new Set(ancestorPids); parents.size > 0; ) {
    const children = all.filter(({ pid, parentPid }) => parents.has(parentPid) && !found.has(pid));
    for (const child of children) found.set(child.pid, child);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return [...found.values()];
}

/** Pids of every process below this one. */
export function pidsBelow(pid: number): number[] {
  return entriesBelow([pid]).map((entry) => entry.pid);
}

/** The program that a process runs, as it was called; empty when the process has ended. */
export function programOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split(/[\0 ]/)[0] ?? '';
}

/** CPU that a process has used, in all its threads, milliseconds. @throws Error when there is none */
export function cpuMsOf(pid: number): number {
  const entry = entryOf(pid);
  if (entry === undefined) throw new Error(`There is no process ${pid}.`);
  return entry.cpuMs;
}

/** CPU that the processes below one have used, milliseconds; `leftOut` and what is below it does not count. */
export function cpuMsBelow(pid: number, leftOut: number): number {
  return entriesBelow([pid], leftOut).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** Share of a core that the processes below one use at rest, measured for this long. */
export async function restingCpu(pid: number, leftOut: number, durationMs: number): Promise<number> {
  const [startMs, before] = [performance.now(), cpuMsBelow(pid, leftOut)];
  await delay(durationMs);
  return (cpuMsBelow(pid, leftOut) - before) / (performance.now() - startMs);
}

export interface ProcessMemory {
  readonly name: string;
  readonly mib: number;
}

/**
 * Memory of all descendants of a process by the kernel's proportional set size, which counts a page that several processes share once
 * in all. Processes of one name are added up.
 */
export function memoryOfTree(pid: number): { processes: readonly ProcessMemory[]; totalMiB: number } {
  const byName = new Map<string, number>();
  for (const child of pidsBelow(pid)) {
    const name = nameOf(child);
    byName.set(name, (byName.get(name) ?? 0) + proportionalMiB(child));
  }
  const processes = [...byName].map(([name, mib]) => ({ name, mib })).sort((one, other) => other.mib - one.mib);
  return { processes, totalMiB: processes.reduce((sum, { mib }) => sum + mib, 0) };
}

function nameOf(pid: number): string {
  const parts = read(`/proc/${pid}/cmdline`).split('\0').filter(Boolean);
  const script = parts.find((part) => part.endsWith('.js'));
  const name = script ?? parts[0]?.split(':')[0] ?? 'unknown';
  return name.split('/').at(-1) ?? name;
}

/** Memory of one process, proportional set size. */
export function proportionalMiB(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return Number(kib ?? 0) / 1_024;
}

/** A process that outlived the one that started it. */
export interface LeftProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** Knows every process that ran below one, also after those between them have ended. */
export interface TreeWatch {
  /** Those that still run. */
  left(): readonly LeftProcess[];
  stop(): void;
}

/** Watches the tree below a process, by looking at this interval: a process whose parent ends before the next look is missed. */
export function watchTree(topPid: number, everyMs = 500): TreeWatch {
  const seen = new Map<number, Entry>();
  function look(): void {
    for (const [pid, { startTicks }] of seen) if (entryOf(pid)?.startTicks !== startTicks) seen.delete(pid);
    for (const entry of entriesBelow([topPid, ...seen.keys()])) seen.set(entry.pid, entry);
  }
  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    left() {
      look();
      return [...seen.keys()]
        .filter((pid) => entryOf(pid)?.isZombie === false)
        .map((pid) => ({ pid, commandLine: read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim() }));
    },
    stop: () => clearInterval(timer),
  };
}

/** A process may end while it is read: then it counts nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
