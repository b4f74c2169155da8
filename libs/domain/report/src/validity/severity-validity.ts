import { HalfHours, type Estimate, type Steps } from './bootstrap';
import { correlationOf, crossProducts, indexesWhere, pick, quantile, Ranking } from './ranks';
import type { PacketTable } from './packet-table';

/** Fewer packets are not judged. */
export const PACKETS_MIN = 30;
const ALARM_SHARE = 0.13;
const WILDEST_SHARE = 0.1;

/** Value for severity and for each simple forecast of the next minute's volatility. `har` is null if it was not measured. */
interface BySource<T> {
  readonly severity: T;
  /** Volatility of the last 60 s, of the last 300 s, and the sum of their ranks. */
  readonly lastMinute: T;
  readonly lastFiveMinutes: T;
  readonly blend: T;
  readonly har: T | null;
}

/** Share of wildest-tenth minutes among equally many packets selected by each source. */
interface Alarm extends BySource<number> {
  readonly packets: number;
}

/** Severity against the realized volatility of the next 60 s, and simple forecasts of it on the same packets. */
export interface SeverityValidity {
  readonly packets: number;
  readonly halfHours: number;
  /** Spearman's rank correlation with the outcome. */
  readonly correlations: BySource<Estimate | null>;
  /** Partial rank correlation of severity, given the volatility of the last 60 s and 300 s, or the HAR forecast. */
  readonly partialGivenTrailing: Estimate | null;
  readonly partialGivenHar: Estimate | null;
  /** Severity selects the packets of class high or critical. Null if there are none. */
  readonly alarmOfClasses: Alarm | null;
  /** Each source selects its highest 13 %. */
  readonly alarmOfShare: Alarm | null;
}

/**
 * Reads packets whose outcome and trailing volatilities are known, with `needsHar` only those with a HAR forecast too.
 * Null if fewer than `PACKETS_MIN`.
 */
export function* severityValidity(table: PacketTable, needsHar: boolean, draws?: number): Steps<SeverityValidity | null> {
  const needed = [
    table.column('volatilityNext60'),
    table.column('volatility60'),
    table.column('volatility300'),
    ...(needsHar ? [table.column('har')] : []),
  ];
  const rows = indexesWhere(table.length, (row) => needed.every((column) => !Number.isNaN(column[row])));
  if (rows.length < PACKETS_MIN) return null;
  const sources: Scored[] = [];
  for (const name of ['volatilityNext60', 'severity', 'volatility60', 'volatility300', 'har'] as const) {
    yield;
    sources.push(new Scored(pick(table.column(name), rows)));
  }
  const [outcome, severity, lastMinute, lastFiveMinutes, har] = sources;
  if (!outcome || !severity || !lastMinute || !lastFiveMinutes || !har) return null;
  const blend = new Scored(sumOf(lastMinute.ranks(), lastFiveMinutes.ranks()));
  const halfHours = new HalfHours(pick(table.column('windowEndMs'), rows), draws);
  const lists = [outcome, severity, lastMinute, lastFiveMinutes, blend, ...(needsHar ? [har] : [])];
  const { partialGivenTrailing, partialGivenHar, ...correlations } = yield* halfHours.estimateSteps((counts) => {
    const weights = halfHours.weights(counts);
    const products = crossProducts(
      lists.map((list) => list.ranks(weights)),
      weights,
    );
    return {
      severity: correlationOf(products, 1, 0),
      lastMinute: correlationOf(products, 2, 0),
      lastFiveMinutes: correlationOf(products, 3, 0),
      blend: correlationOf(products, 4, 0),
      har: needsHar ? correlationOf(products, 5, 0) : null,
      partialGivenTrailing: correlationOf(products, 1, 0, [2, 3]),
      partialGivenHar: needsHar ? correlationOf(products, 1, 0, [5]) : null,
    };
  });
  const bySource = <T>(valueOf: (source: Scored) => T): BySource<T> => ({
    severity: valueOf(severity),
    lastMinute: valueOf(lastMinute),
    lastFiveMinutes: valueOf(lastFiveMinutes),
    blend: valueOf(blend),
    har: needsHar ? valueOf(har) : null,
  });
  for (const source of [...sources, blend]) {
    yield;
    source.sort();
  }
  const wildest = quantile(outcome.values, 1 - WILDEST_SHARE);
  const caught = (selected: Uint32Array): number =>
    selected.filter((row) => (outcome.values[row] ?? 0) >= wildest).length / selected.length;
  const alarmOf = (total: number): Alarm | null =>
    total === 0 ? null : { packets: total, ...bySource((source) => caught(source.highest(total))) };
  const high = table.column('high');
  const ofClass = indexesWhere(rows.length, (index) => high[rows[index] ?? 0] === 1);
  const alarmOfClasses = alarmOf(ofClass.length);
  return {
    packets: rows.length,
    halfHours: halfHours.total,
    correlations,
    partialGivenTrailing,
    partialGivenHar,
    alarmOfClasses: alarmOfClasses === null ? null : { ...alarmOfClasses, severity: caught(ofClass) },
    alarmOfShare: alarmOf(Math.floor(ALARM_SHARE * rows.length)),
  };
}

function sumOf(left: Float64Array, right: Float64Array): Float64Array {
  return left.map((value, index) => value + (right[index] ?? 0));
}

/** Values of a source, sorted once. */
class Scored {
  private readonly ranking: Ranking;
  private descending: Uint32Array | undefined;

  constructor(readonly values: Float64Array) {
    this.ranking = new Ranking(values);
  }

  ranks(weights?: Float64Array): Float64Array {
    return this.ranking.ranks(weights);
  }

  sort(): Uint32Array {
    this.descending ??= indexesWhere(this.values.length, () => true).sort((a, b) => (this.values[b] ?? 0) - (this.values[a] ?? 0) || a - b);
    return this.descending;
  }

  /** The highest values' indexes; of equal values the earlier packet comes first. */
  highest(total: number): Uint32Array {
    return this.sort().subarray(0, total);
  }
}
