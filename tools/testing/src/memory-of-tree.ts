import { readdirSync, readFileSync } from 'node:fs';

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
  for (const child of descendants(pid)) {
    const name = nameOf(child);
    byName.set(name, (byName.get(name) ?? 0) + proportionalMiB(child));
  }
  const processes = [...byName].map(([name, mib]) => ({ name, mib })).sort((one, other) => other.mib - one.mib);
  return { processes, totalMiB: processes.reduce((sum, { mib }) => sum + mib, 0) };
}

function descendants(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = read(`/proc/${entry}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    parents.set(Number(entry), parent);
  }
  const found: number[] = [];
  for (let generation = [pid]; generation.length > 0; ) {
    generation = [...parents].filter(([, parent]) => generation.includes(parent)).map(([child]) => child);
    found.push(...generation);
  }
  return found;
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

/** A process may end while it is looked at: then it counts nothing. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
