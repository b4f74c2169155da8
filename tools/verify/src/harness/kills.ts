import { setTimeout as delay } from 'node:timers/promises';

/** Random pause, so that a kill may hit any moment. */
export function pauseUpTo(maxMs: number, random: () => number): Promise<void> {
  return delay(random() * maxMs);
}

export interface SpreadKills {
  /** Numbers, from 1, of kills now due; each is returned once. */
  due(servedTotal: number): number[];
}

export function spreadKills(kills: number, calls: number, random: () => number): SpreadKills {
  const killAt = Array.from({ length: kills }, () => Math.floor(random() * calls)).sort((one, other) => one - other);
  let started = 0;
  return {
    due(servedTotal) {
      const due: number[] = [];
      while (started < kills && servedTotal > (killAt[started] ?? 0)) due.push((started += 1));
      return due;
    },
  };
}
