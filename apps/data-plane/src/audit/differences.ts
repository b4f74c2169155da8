import type { marketData } from '@market-state/contracts';
import type { AuditMeasure } from '@market-state/market-data';
import type { DifferenceRun } from '../store/audit-results';

/** Newest first. @param runs oldest first, all runs of each difference */
export function differencesOf(runs: readonly DifferenceRun[]): marketData.AccuracyDifference[] {
  const byId = new Map<string, DifferenceRun[]>();
  for (const run of runs) {
    if (run.difference_id === null) continue;
    byId.set(run.difference_id, [...(byId.get(run.difference_id) ?? []), run]);
  }
  return [...byId].map(([differenceId, ofOne]) => differenceOf(differenceId, ofOne)).toSorted((a, b) => b.openedMs - a.openedMs);
}

function differenceOf(differenceId: string, runs: readonly DifferenceRun[]): marketData.AccuracyDifference {
  const [first] = runs;
  const found = runs.filter((run) => run.field !== null);
  const closing = runs.find((run) => run.closes);
  const difference = {
    differenceId,
    symbol: first?.symbol ?? '',
    venue: first?.venue ?? '',
    measure: first?.measure ?? '',
    source: first?.source ?? '',
    openedMs: Number(first?.run_ms),
    closedMs: Number(closing?.run_ms ?? 0),
    fromMs: Math.min(...found.map((run) => Number(run.differs_from_ms))),
    toMs: Math.max(...found.map((run) => Number(run.differs_to_ms))),
    runTotal: found.length,
    valueTotal: found.reduce((sum, run) => sum + run.compared_total - run.equal_total, 0),
    largest: largestOf(found),
  };
  return { ...difference, sentence: sentenceOf(difference) };
}

const MEASURES: Readonly<Record<string, string>> = {
  candles: 'Candles',
  book: 'Best prices',
  mark_price: 'The mark price',
  funding_rate: 'The funding rate',
} satisfies Record<AuditMeasure, string>;

function sentenceOf({
  measure,
  symbol,
  source,
  fromMs,
  toMs,
  valueTotal,
  largest,
  closedMs,
}: Omit<marketData.AccuracyDifference, 'sentence'>): string {
  const whose = source === 'venue' ? 'the venue' : 'the recording’s own best prices';
  const span = fromMs === toMs ? `at ${utc(fromMs)}` : `from ${utc(fromMs)} to ${utc(toMs)}`;
  const value = `${largest?.field.replaceAll('_', ' ')} ${largest?.ours} here, ${largest?.theirs} there`;
  const values = valueTotal === 1 ? value : `${value}, the largest of ${valueTotal} differences`;
  const end = closedMs === 0 ? 'Not equal again yet.' : `Found equal again at ${utc(closedMs)}.`;
  return `${MEASURES[measure] ?? measure} of ${symbol} differed from ${whose} ${span}: ${values}. ${end}`;
}

function utc(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Relative to the venue's value. */
export function largestOf(runs: readonly DifferenceRun[]): marketData.AccuracyValue | undefined {
  const values = runs.flatMap(({ field, at_ms: atMs, ours, theirs, apart }) =>
    field === null || ours === null || theirs === null || apart === null ? [] : [{ field, atMs: Number(atMs), ours, theirs, apart }],
  );
  return values.toSorted((a, b) => shareOf(b) - shareOf(a))[0];
}

function shareOf({ apart, theirs }: marketData.AccuracyValue): number {
  return Number(apart) / Math.abs(Number(theirs));
}
