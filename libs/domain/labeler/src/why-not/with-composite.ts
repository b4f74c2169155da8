import { crowdingChange, type ScoreInput, scoreStates } from '../decision/decide';
import type { PolicyNumbers } from '../policy/numbers';
import { type Candidate, type CompositeName, type Side, STATES, type StateName } from '../read';
import { type HeldMemory, holdComposite } from '../thresholds/held';
import { norm } from '../thresholds/calibration';
import type { Decided } from './standing';

/** Millionths: composites have six decimals. */
export const UNITS = 1_000_000;

/** One composite of a decision, with another value; what was held of it in the packet before is given. */
export interface Variation {
  readonly decided: Decided;
  readonly composite: CompositeName;
  readonly before: HeldMemory;
  readonly numbers: PolicyNumbers;
}

/** Pressure and flow have a sign, which is their side; the others' side is not theirs to change. */
export function isSigned(composite: CompositeName): boolean {
  return composite === 'pressure' || composite === 'flow';
}

/** The ten candidates with the composite at this value: its signed score in millionths, all else as the packet has it. */
export function candidatesAt(variation: Variation, units: number): readonly Candidate[] {
  const { decided, composite, numbers } = variation;
  const side = isSigned(composite) ? (Math.sign(units) as Side) : decided.standings[composite].side;
  return scoreStates(inputOf(variation, side, readingAt(variation, side, Math.abs(units))), numbers);
}

/** What the candidates read of one composite. */
interface Reading {
  readonly norm: number;
  readonly held: boolean;
  /** Of crowding alone. */
  readonly change: number;
}

function readingAt({ decided, composite, before, numbers }: Variation, side: Side, size: number): Reading {
  const standing = decided.standings[composite];
  const score = size / UNITS;
  const { mean, change } = decided.input.crowding;
  return {
    norm: norm(score, standing),
    held: holdComposite({ score, side, available: true }, standing.watch, before, numbers.calibration.leave_ratio).held,
    change: composite !== 'crowding' ? change : decided.isFirst ? 0 : crowdingChange(score, mean, numbers),
  };
}

function inputOf({ decided: { input }, composite }: Variation, side: Side, { norm: read, held, change }: Reading): ScoreInput {
  return {
    ...input,
    composites: { ...input.composites, [composite]: { norm: read, held } },
    pressureSide: composite === 'pressure' ? side : input.pressureSide,
    flowSide: composite === 'flow' ? side : input.flowSide,
    crowding: { ...input.crowding, change },
  };
}

/**
 * Whether `state` may be the raw winner for some size from `low` to `high` (millionths, both in) on this side; exact where the two are
 * equal. A norm and being held never fall as a size grows, and each score is a product or a sum that is linear in what it reads and
 * rounded once, so that its extremes over the sizes are among those at the corners of what it reads.
 */
export function mayWin(variation: Variation, state: StateName, side: Side, low: number, high: number): boolean {
  const { decided, numbers } = variation;
  const [least, most] = [readingAt(variation, side, low), readingAt(variation, side, high)];
  const changes = changeBounds(variation, least, most, low, high);
  if (state === 'crowding_persistent' && variation.composite === 'crowding' && shiftIsAhead(decided, changes[0], numbers)) return false;
  const bounds = new Map<StateName, { low: number; high: number }>();
  for (const read of distinct(least.norm, most.norm)) {
    for (const held of distinct(least.held, most.held)) {
      for (const change of distinct(...changes)) {
        for (const { state: each, score } of scoreStates(inputOf(variation, side, { norm: read, held, change }), numbers)) {
          const seen = bounds.get(each) ?? { low: score, high: score };
          bounds.set(each, { low: Math.min(seen.low, score), high: Math.max(seen.high, score) });
        }
      }
    }
  }
  const best = bounds.get(state)?.high ?? 0;
  return STATES.every((other, row) => {
    const worst = bounds.get(other)?.low ?? 0;
    return other === state || best > worst || (best === worst && STATES.indexOf(state) < row);
  });
}

/** The change of crowding falls up to the mean and rises after it. */
function changeBounds(
  { decided, composite, numbers }: Variation,
  least: Reading,
  most: Reading,
  low: number,
  high: number,
): readonly [number, number] {
  const { mean } = decided.input.crowding;
  const holdsMean = composite === 'crowding' && !decided.isFirst && low / UNITS <= mean && mean <= high / UNITS;
  const lowest = holdsMean ? crowdingChange(mean, mean, numbers) : Math.min(least.change, most.change);
  return [lowest, Math.max(least.change, most.change)];
}

/** Both crowding states are Ĉ times a factor; the shift, whose row is higher, is not beaten where its factor is at least the other's. */
function shiftIsAhead({ input }: Decided, change: number, { candidates }: PolicyNumbers): boolean {
  return input.crowding.share !== null && change >= Math.max(input.crowding.share, candidates.crowding_shift_open_from);
}

function distinct<T>(one: T, other: T): readonly T[] {
  return one === other ? [one] : [one, other];
}
