import { createInterface } from 'node:readline';
import { loadPolicy } from '@market-state/labeler';
import { eventOfRow, type BookEvent, type MarketEvent } from '@market-state/market-data';
import { HalfHours } from '../src/validity/bootstrap';
import { correlationOf, crossProducts, indexesWhere, pick, Ranking } from '../src/validity/ranks';
import { SecondSeries } from '../src/validity/second-series';

/**
 * Candidate terms of severity against the volatility of the next 60 s, from the rows of one symbol on stdin:
 * `npx market-state rows book.csv.gz trades.csv.gz --instrument … | node --import @oxc-node/core/register
 * libs/domain/report/bench/severity-terms.ts`. Prints for each term its rank correlation with the outcome, the partial
 * ones given the last 60 s and 300 s and given severity's movement share, and severity's own numbers without each of
 * its terms; brackets are 90 % intervals by half hours. docs/validity.md has the results.
 */
const WINDOW_MS = 10_000;
const { ranges, severity, features } = loadPolicy().numbers;
/** Lengths in packets of the means of ranges, with their weights in movement_share. */
const RANGES = {
  newest: [1, severity.newest_weight],
  fast: [ranges.fast_packets, severity.fast_weight],
  middle: [ranges.middle_packets, severity.middle_weight],
  slow: [ranges.slow_packets, severity.slow_weight],
} as const;
const THIN = `thin ${features.near_depth_bps} bps`;
const DEPTHS_BPS = [...new Set([2, features.near_depth_bps, 5])];

/** Mean of all values up to `start`; then each value moves it by its difference over `length`. */
class Mean {
  private total = 0;
  value = Number.NaN;

  constructor(
    private readonly length: number,
    private readonly start = length,
  ) {}

  add(value: number): number {
    this.total++;
    const divisor = this.total <= this.start ? this.total : this.length;
    this.value = this.total === 1 ? value : this.value + (value - this.value) / divisor;
    return this.value;
  }
}

const levelMean = (): Mean => new Mean(ranges.level_packets, ranges.level_start_packets);

/** A quantity over its own level: value / (value + k × level). */
class Share {
  private readonly level = levelMean();
  private readonly mean: Mean;

  constructor(packets: number) {
    this.mean = new Mean(packets);
  }

  add(value: number, multiple = 1): number {
    const level = multiple * this.level.add(value);
    const mean = this.mean.add(value);
    return mean === 0 ? 0 : mean / (mean + level);
  }
}

class Terms {
  private readonly columns = new Map<string, number[]>();
  private readonly shares = new Map<string, Share>();

  put(name: string, value: number): number {
    const column = this.columns.get(name) ?? [];
    column.push(value);
    this.columns.set(name, column);
    return value;
  }

  share(name: string, packets: number, value: number, multiple = 1): number {
    const share = this.shares.get(name) ?? new Share(packets);
    this.shares.set(name, share);
    return this.put(name, share.add(value, multiple));
  }

  get names(): readonly string[] {
    return [...this.columns.keys()];
  }

  column(name: string): Float64Array {
    return Float64Array.from(this.columns.get(name) ?? []);
  }
}

interface Window {
  highest: number;
  lowest: number;
  books: number;
  trades: number;
  traded: number;
}

const series = new SecondSeries();
const terms = new Terms();
const windowEndsMs: number[] = [];
const outcomes: number[] = [];
let book: BookEvent | undefined;
let window: Window = emptyWindow();
let nextMs = 0;
let measured = 0;

function emptyWindow(): Window {
  const mid = book === undefined ? Number.NaN : midOf(book);
  return { highest: mid, lowest: mid, books: 0, trades: 0, traded: 0 };
}

function midOf({ bids, asks }: BookEvent): number {
  return (Number(bids[0]?.price) + Number(asks[0]?.price)) / 2;
}

function depthWithin({ bids, asks }: BookEvent, mid: number, bps: number): number {
  const reach = (mid * bps) / 10_000;
  return [...bids, ...asks].reduce((sum, { price, size }) => sum + (Math.abs(Number(price) - mid) <= reach ? Number(size) : 0), 0);
}

function closeWindow(current: BookEvent): void {
  const mid = midOf(current);
  const range = 10_000 * (window.highest / window.lowest - 1);
  const spread = (10_000 * (Number(current.asks[0]?.price) - Number(current.bids[0]?.price))) / mid;
  const [volatility60 = NaN, volatility300 = NaN] = series.volatilities(nextMs, [60, 300]);
  const movement = Object.entries(RANGES).reduce(
    (sum, [name, [packets, weight]]) =>
      sum + weight * terms.share(`range ${name}`, packets, Number.isNaN(range) ? 0 : range, severity.level_multiple),
    0,
  );
  terms.put('movement_share', movement);
  terms.put('volatility60', volatility60);
  terms.put('volatility300', volatility300);
  for (const bps of DEPTHS_BPS) terms.put(`thin ${bps} bps`, 1 - terms.share(`depth ${bps} bps`, 1, depthWithin(current, mid, bps)));
  for (const [name, packets] of [
    ['10 s', 1],
    ['60 s', 6],
    ['1,800 s', 180],
  ] as const) {
    terms.share(`traded ${name}`, packets, window.traded);
    terms.share(`trades ${name}`, packets, window.trades);
    terms.share(`spread ${name}`, packets, spread);
  }
  terms.share('books 60 s', 6, window.books);
  const width = (10_000 * (Number(current.asks.at(-1)?.price) - Number(current.bids.at(-1)?.price))) / mid;
  terms.share('width of all levels', 1, width);
  windowEndsMs.push(nextMs);
}

function measureOutcomes(isKnown: (ms: number) => boolean): void {
  for (; measured < windowEndsMs.length; measured++) {
    const endMs = (windowEndsMs[measured] ?? 0) + 60_000;
    if (!isKnown(endMs)) return;
    outcomes.push(series.volatilities(endMs, [60])[0] ?? Number.NaN);
  }
}

function add(event: MarketEvent): void {
  if (event.kind === 'trade') {
    window.trades++;
    window.traded += Number(event.size);
    series.addTrade(event.exchangeTsMs, Number(event.price) * Number(event.size), event.aggressorSide);
  }
  if (event.kind !== 'book') return;
  series.addBook(event);
  if (nextMs === 0) nextMs = Math.ceil(event.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
  for (; event.exchangeTsMs > nextMs; nextMs += WINDOW_MS) {
    if (book !== undefined) closeWindow(book);
    window = emptyWindow();
  }
  measureOutcomes((ms) => series.isPast(ms));
  const mid = midOf(event);
  window.highest = Number.isNaN(window.highest) ? mid : Math.max(window.highest, mid);
  window.lowest = Number.isNaN(window.lowest) ? mid : Math.min(window.lowest, mid);
  window.books++;
  book = event;
}

const severityWithout = (left: string | undefined): Float64Array => {
  const [movement, thin] = [movementWithout(left), terms.column(THIN)];
  const thinWeight = left === 'thin' ? 0 : severity.thin_weight;
  return movement.map((value, row) => (1 - thinWeight) * value + thinWeight * (thin[row] ?? 0));
};

function movementWithout(left: string | undefined): Float64Array {
  const kept = Object.entries(RANGES).filter(([name]) => name !== left);
  const total = kept.reduce((sum, [, [, weight]]) => sum + weight, 0);
  const columns = kept.map(([name, [, weight]]) => [terms.column(`range ${name}`), weight / total] as const);
  return Float64Array.from(windowEndsMs, (_, row) => columns.reduce((sum, [column, weight]) => sum + weight * (column[row] ?? 0), 0));
}

function report(): void {
  const [outcome, minute, five] = [Float64Array.from(outcomes), terms.column('volatility60'), terms.column('volatility300')];
  const rows = indexesWhere(windowEndsMs.length, (row) => ![outcome, minute, five].some((column) => Number.isNaN(column[row])));
  const halfHours = new HalfHours(pick(Float64Array.from(windowEndsMs), rows));
  const fixed = [outcome, minute, five, movementWithout(undefined)].map((column) => new Ranking(pick(column, rows)));
  const line = (name: string, values: Float64Array): void => {
    const rankings = [...fixed, new Ranking(pick(values, rows))];
    const estimates = halfHours.estimates((counts) => {
      const weights = halfHours.weights(counts);
      const products = crossProducts(
        rankings.map((ranking) => ranking.ranks(weights)),
        weights,
      );
      return {
        raw: correlationOf(products, 4, 0),
        givenTrailing: correlationOf(products, 4, 0, [1, 2]),
        givenMovement: correlationOf(products, 4, 0, [3]),
      };
    });
    const words = Object.values(estimates).map((each) =>
      each === null ? '–' : `${each.value.toFixed(3)} [${(each.low ?? NaN).toFixed(3)}, ${(each.high ?? NaN).toFixed(3)}]`,
    );
    process.stdout.write(`${[name.padEnd(24), ...words.map((word) => word.padEnd(26))].join('').trimEnd()}\n`);
  };
  process.stdout.write(
    `${rows.length} packets\n${['term', 'rank correlation', 'given 60 s and 300 s', 'given movement_share'].join('  |  ')}\n`,
  );
  for (const name of terms.names.filter((each) => !each.startsWith('depth '))) line(name, terms.column(name));
  for (const left of [undefined, 'thin', ...Object.keys(RANGES)])
    line(left === undefined ? 'severity' : `severity without ${left}`, severityWithout(left));
}

for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) add(eventOfRow(JSON.parse(text)));
series.end();
measureOutcomes(() => true);
report();
