import { Random } from '@market-state/scenarios';
import { quantile } from './ranks';

export const HALF_HOUR_MS = 1_800_000;
const DRAWS = 1_000;
const SEED = 44;

/** Statistic with its 90 % interval. The interval is null if the packets lie in a single half hour. */
export interface Estimate {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A computation in short steps, between which other work can run. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Resamples whole half hours, as many as there are, with replacement: the spans of adjacent
 * packets overlap, so packets are not independent observations. The draws are the same in each run.
 */
export class HalfHours {
  /** Half hours that have a packet, and the one of each packet. */
  readonly total: number;
  readonly of: Uint32Array;
  private readonly draws: readonly Uint16Array[];

  constructor(windowEndsMs: Float64Array, draws = DRAWS) {
    const numbers = new Map<number, number>();
    this.of = Uint32Array.from(windowEndsMs, (windowEndMs) => {
      const halfHour = Math.floor(windowEndMs / HALF_HOUR_MS);
      const known = numbers.get(halfHour) ?? numbers.size;
      numbers.set(halfHour, known);
      return known;
    });
    this.total = numbers.size;
    this.draws = this.total < 2 ? [] : drawsOf(this.total, draws);
  }

  /** Occurrences of each packet, given those of each half hour. */
  weights(counts: Uint16Array): Float64Array {
    const weights = new Float64Array(this.of.length);
    for (let packet = 0; packet < weights.length; packet++) weights[packet] = counts[this.of[packet] ?? 0] ?? 0;
    return weights;
  }

  /** Statistics of the packets, given how often each half hour occurs. One that is null for the packets themselves stays null. */
  estimates<Name extends string>(
    statistics: (counts: Uint16Array) => Readonly<Record<Name, number | null>>,
  ): Readonly<Record<Name, Estimate | null>> {
    return runSteps(this.estimateSteps(statistics));
  }

  /** `estimates` in steps of one distinct resample, for callers that must not block the event loop. */
  *estimateSteps<Name extends string>(
    statistics: (counts: Uint16Array) => Readonly<Record<Name, number | null>>,
  ): Steps<Readonly<Record<Name, Estimate | null>>> {
    const whole = statistics(new Uint16Array(this.total).fill(1));
    // With few half hours most resamples are the same.
    const known = new Map<string, Readonly<Record<Name, number | null>>>();
    const drawn: Readonly<Record<Name, number | null>>[] = [];
    for (const draw of this.draws) {
      const key = draw.join();
      let values = known.get(key);
      if (values === undefined) {
        yield;
        values = statistics(draw);
        known.set(key, values);
      }
      drawn.push(values);
    }
    const names = Object.keys(whole) as Name[];
    const estimateOf = (name: Name): Estimate | null => {
      const { [name]: value } = whole;
      if (value === null) return null;
      const values = drawn.map((each) => each[name]).filter((each) => each !== null);
      return values.length === 0 ? { value, low: null, high: null } : { value, low: quantile(values, 0.05), high: quantile(values, 0.95) };
    };
    return Object.fromEntries(names.map((name) => [name, estimateOf(name)])) as Record<Name, Estimate | null>;
  }
}

function drawsOf(total: number, draws: number): readonly Uint16Array[] {
  const random = new Random(SEED, total);
  return Array.from({ length: draws }, () => {
    const counts = new Uint16Array(total);
    for (let drawn = 0; drawn < total; drawn++) {
      const halfHour = random.integer(0, total - 1);
      counts[halfHour] = (counts[halfHour] ?? 0) + 1;
    }
    return counts;
  });
}
