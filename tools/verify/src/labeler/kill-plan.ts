import { shuffle } from '@market-state/testing';
import type { Place } from './places';

/** The kills of a run, in order. */
export interface KillPlan {
  readonly beforeHour: readonly Place[];
  /** At least one of them at the hour's checkpoint. */
  readonly fromHourOn: readonly Place[];
}

const packetShare = 0.3;
const stateShare = 0.15;
const checkpointShare = 0.15;

/**
 * `total` kills: three in ten between the tick that closes a window and its commit, some at a state to be saved and at an
 * hour's checkpoint, the others anywhere; in random order, the checkpoints' after half of the others.
 */
export function planKills(total: number, random: () => number): KillPlan {
  const count = (share: number): number => Math.max(1, Math.round(total * share));
  const checkpoints = many("before an hour's checkpoint is written", Math.min(total, count(checkpointShare)));
  const certain = [
    ...many('before its packet is written', count(packetShare)),
    ...many('anywhere', 1),
    ...many('before its state is saved', count(stateShare)),
  ];
  const restTotal = total - checkpoints.length;
  const rest = shuffle([...certain, ...many('anywhere', restTotal)].slice(0, restTotal), random);
  const half = Math.floor(rest.length / 2);
  return { beforeHour: rest.slice(0, half), fromHourOn: [...checkpoints, ...rest.slice(half)] };
}

function many(place: Place, total: number): Place[] {
  return Array<Place>(total).fill(place);
}
