import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Linux reports CPU time to programs in hundredths of a second. */
const MS_PER_TICK = 10;

interface Entry {
  readonly pid: number;
  readonly parentPid: number;
  readonly isZombie: boolean;
  readonly cpuMs: number;
  /** Clock ticks since boot; distinguishes a process from a later one with the same pid. */
  readonly startTicks: string;
}

function entryOf(pid: number): Entry | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === '') return undefined;
  // The command is in parentheses and may contain spaces.
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

/** All descendants of these processes, except `leftOut` and its own. */
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

export function pidsBelow(pid: number): number[] {
  return entriesBelow([pid]).map((entry) => entry.pid);
}

export function programOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).split(/[\0 ]/)[0] ?? '';
}

/** @throws Error if there is no such process */
export function cpuMsOf(pid: number): number {
  const entry = entryOf(pid);
  if (entry === undefined) throw new Error(`There is no process ${pid}.`);
  return entry.cpuMs;
}

/** CPU time of a process's descendants, except `leftOut` and its own. */
export function cpuMsBelow(pid: number, leftOut: number): number {
  return entriesBelow([pid], leftOut).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

export async function restingCpu(pid: number, leftOut: number, durationMs: number): Promise<number> {
  const [startMs, before] = [performance.now(), cpuMsBelow(pid, leftOut)];
  await delay(durationMs);
  return (cpuMsBelow(pid, leftOut) - before) / (performance.now() - startMs);
}

export interface ProcessMemory {
  readonly name: string;
  readonly mib: number;
}

/** Proportional set size by process name, in which a shared page counts once in total. */
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

export function proportionalMiB(pid: number): number {
  const kib = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return Number(kib ?? 0) / 1_024;
}

export interface LeftProcess {
  readonly pid: number;
  readonly commandLine: string;
}

/** Tracks all descendants of a process, even after their parents end. */
export interface TreeWatch {
  left(): readonly LeftProcess[];
  stop(): void;
}

/** Polls the process tree at this interval: a process whose parent ends between polls is missed. */
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

/** A process that ends while being read counts as empty. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
