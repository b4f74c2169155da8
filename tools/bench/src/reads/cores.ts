import { cpus } from 'node:os';

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
