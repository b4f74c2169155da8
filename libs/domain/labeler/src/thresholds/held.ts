import { round6 } from '../numbers/round';
import { COMPOSITES, type CompositeName, type Side, type ThresholdRead } from '../read';
import { mapComposites, type ThresholdPairs } from './calibration';

/**
 * The twelve thresholds in table order, each with its distance (value − threshold, 6 decimals) and class: `crossed` at
 * or above it, `near_threshold` at or above 0.9 of it, else `below`. Source: ours.
 */
export function readThresholds(
  scores: Readonly<Record<CompositeName, number>>,
  pairs: ThresholdPairs,
  nearRatio: number,
): readonly ThresholdRead[] {
  return COMPOSITES.flatMap((composite) =>
    (['watch', 'elevated'] as const).map((level): ThresholdRead => {
      const threshold = pairs[composite][level];
      const value = scores[composite];
      return {
        featureId: `${composite}_${level}`,
        composite,
        level,
        threshold,
        value,
        distance: round6(value - threshold),
        crossingClass: value >= threshold ? 'crossed' : value >= round6(nearRatio * threshold) ? 'near_threshold' : 'below',
      };
    }),
  );
}

export interface HeldMemory {
  readonly side: Side;
  readonly packets: number;
}
export type HeldMemories = Readonly<Record<CompositeName, HeldMemory>>;

export interface HeldRead {
  readonly held: boolean;
  /** 0 to 1, below watch. */
  readonly leaveAt: number;
  readonly heldPackets: number;
}

interface HeldSignal {
  readonly score: number;
  readonly side: Side;
  readonly available: boolean;
}

export const NOTHING_HELD_BEFORE: HeldMemories = mapComposites(() => ({ side: 0, packets: 0 }));

/**
 * Held composites: at or above watch, or at or above leave = 0.5 × watch and held in the previous packet on the current
 * side. Unreadable composites are not held. Source: ours, a Schmitt trigger on the watch in force.
 */
export function holdComposites(
  signals: Readonly<Record<CompositeName, HeldSignal>>,
  pairs: ThresholdPairs,
  before: HeldMemories,
  leaveRatio: number,
): Readonly<Record<CompositeName, HeldRead>> {
  return mapComposites((name) => holdComposite(signals[name], pairs[name].watch, before[name], leaveRatio));
}

export function heldMemories(reads: Readonly<Record<CompositeName, { readonly side: Side; readonly heldPackets: number }>>): HeldMemories {
  return mapComposites((name) => ({ side: reads[name].side, packets: reads[name].heldPackets }));
}

export function holdComposite({ score, side, available }: HeldSignal, watch: number, before: HeldMemory, leaveRatio: number): HeldRead {
  const leaveAt = round6(leaveRatio * watch);
  const heldBefore = before.packets > 0 && before.side === side;
  const holds = available && (score >= watch || (heldBefore && score >= leaveAt));
  return { held: holds, leaveAt, heldPackets: !holds ? 0 : heldBefore ? before.packets + 1 : 1 };
}
