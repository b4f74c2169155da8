import { readdirSync, readFileSync } from 'node:fs';
import type { System } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { cpuMsBelow, cpuMsOf } from '../reads/cpu-of';

const ANSWER_MS_MAX = 30_000;

/** The process that runs a program below this one. @throws Error when there is none */
function pidOf(program: string): number {
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => commandOf(pid).split('/').at(-1) === program && isBelow(pid, process.pid));
  if (found === undefined) throw new Error(`No ${program} runs below this process.`);
  return found;
}

function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`).split(/[\0 ]/)[0] ?? '';
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1; ) {
    const stat = readOr(`/proc/${at}/stat`);
    at = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
    if (at === ancestor) return true;
  }
  return false;
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** CPU that a process of the system has used, milliseconds. */
export function cpuOfProcess(system: System, name: string): number {
  return cpuMsOf(system.processes.process(name).pid ?? 0);
}

/** CPU that a store has used, with all of its processes, milliseconds. */
export function cpuOfStore(program: 'redis-server' | 'postgres'): number {
  const pid = pidOf(program);
  return cpuMsOf(pid) + cpuMsBelow(pid, 0);
}

/** The sum of a metric's series that have this text in their labels, as a process reports it now. */
export async function metricOf(system: System, name: string, metric: string, labels: string): Promise<number> {
  const url = `http://127.0.0.1:${system.processes.portsOf(name).ops}/metrics`;
  const text = await (await fetch(url, { signal: timeLimit(ANSWER_MS_MAX) })).text();
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
