import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Linux counts CPU time in hundredths of a second for every program that asks. */
const MS_PER_TICK = 10;

interface Usage {
  readonly parentPid: number;
  readonly cpuMs: number;
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0] = fields.slice(11, 13).map(Number);
  return { parentPid: Number(fields[1]), cpuMs: (user + system) * MS_PER_TICK };
}

/** CPU that a process has used, in all its threads, milliseconds. */
export function cpuMsOf(pid: number): number {
  return usageOf(pid).cpuMs;
}

/** CPU that the processes below one have used, those below them too, milliseconds; `leftOut` and what is below it does not count. */
export function cpuMsBelow(pid: number, leftOut: number): number {
  const usages = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [[Number(name), usageOf(Number(name))] as const];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
  const below = (parent: number): number =>
    usages
      .filter(([child, { parentPid }]) => parentPid === parent && child !== leftOut)
      .reduce((sum, [child, { cpuMs }]) => sum + cpuMs + below(child), 0);
  return below(pid);
}

/** Share of a core that the processes below one use while nobody asks, seen for so long. */
export async function restingCpu(pid: number, leftOut: number, durationMs: number): Promise<number> {
  const [startMs, before] = [performance.now(), cpuMsBelow(pid, leftOut)];
  await delay(durationMs);
  return (cpuMsBelow(pid, leftOut) - before) / (performance.now() - startMs);
}

/** Time that all cores have spent at work and at rest, milliseconds. */
export function busyAndIdleMs(): readonly [busy: number, idle: number] {
  const times = cpus().map((core) => core.times);
  return [
    times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0),
    times.reduce((sum, { idle }) => sum + idle, 0),
  ];
}

/** Share of all cores that was at work between two of these. */
export function busyShare([busyBefore, idleBefore]: readonly [number, number], [busy, idle]: readonly [number, number]): number {
  return (busy - busyBefore) / (busy - busyBefore + idle - idleBefore);
}
