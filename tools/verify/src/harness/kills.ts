import { setTimeout as delay } from 'node:timers/promises';

/** A pause of random length, before a kill: so that it comes at any moment. */
export function pauseUpTo(maxMs: number, random: () => number): Promise<void> {
  return delay(random() * maxMs);
}

/** Kills at moments that chance gives, spread over so many calls. */
export interface SpreadKills {
  /** The numbers, from 1, of the kills that are due once so many calls were served; each is named once. */
  due(servedTotal: number): number[];
}

export function spreadKills(kills: number, calls: number, random: () => number): SpreadKills {
  const killAt = Array.from({ length: kills }, () => Math.floor(random() * calls)).sort((one, other) => one - other);
  let begun = 0;
  return {
    due(servedTotal) {
      const due: number[] = [];
      while (begun < kills && servedTotal > (killAt[begun] ?? 0)) due.push((begun += 1));
      return due;
    },
  };
}
