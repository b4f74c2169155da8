import { round6 } from '../numbers/round';
import { COMPOSITES, type CompositeName, type Side, type ThresholdRead } from '../read';
import { mapComposites, type ThresholdPairs } from './calibration';

/**
 * The twelve thresholds in table order, each with its distance (value − threshold) and class: `crossed` at or above it,
 * `near_threshold` at or above 0.9 of it, else `below`. Values and thresholds are scores, 0..1; distances −1..1, 6 decimals; at T. Source:
 * ours.
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

/** What the next packet remembers of a composite: whether it was held, on which side, and for how many packets in a row. */
export interface HeldMemory {
  readonly side: Side;
  /** 0: not held. */
  readonly packets: number;
}
export type HeldMemories = Readonly<Record<CompositeName, HeldMemory>>;

/** A composite against its watch threshold and the lower one under which it leaves. */
export interface HeldRead {
  readonly held: boolean;
  /** 0..1, under watch. */
  readonly leaveAt: number;
  /** Packets in a row in which it was held on this side, this one in; 0 while it is not held. */
  readonly heldPackets: number;
}

/** A composite's score, side and whether it can be read. */
interface HeldSignal {
  readonly score: number;
  readonly side: Side;
  readonly available: boolean;
}

/** Before the first packet nothing is held. */
export const NOTHING_HELD_BEFORE: HeldMemories = mapComposites(() => ({ side: 0, packets: 0 }));

/**
 * Which composites are held: at or above watch, or at or above leave = 0.5 × watch and held in the packet before on the side that they have
 * now. What cannot be read is not held. Source: ours, a Schmitt trigger on the watch in force.
 */
export function holdComposites(
  signals: Readonly<Record<CompositeName, HeldSignal>>,
  pairs: ThresholdPairs,
  before: HeldMemories,
  leaveRatio: number,
): Readonly<Record<CompositeName, HeldRead>> {
  return mapComposites((name) => holdComposite(signals[name], pairs[name].watch, before[name], leaveRatio));
}

/** What the next packet remembers of these. */
export function heldMemories(reads: Readonly<Record<CompositeName, { readonly side: Side; readonly heldPackets: number }>>): HeldMemories {
  return mapComposites((name) => ({ side: reads[name].side, packets: reads[name].heldPackets }));
}

/** As `holdComposites`, of one. */
export function holdComposite({ score, side, available }: HeldSignal, watch: number, before: HeldMemory, leaveRatio: number): HeldRead {
  const leaveAt = round6(leaveRatio * watch);
  const heldBefore = before.packets > 0 && before.side === side;
  const holds = available && (score >= watch || (heldBefore && score >= leaveAt));
  return { held: holds, leaveAt, heldPackets: !holds ? 0 : heldBefore ? before.packets + 1 : 1 };
}
