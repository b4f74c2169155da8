import fc from 'fast-check';
import type { ExportSpec } from '../jobs/job';
import { planParts, sizeFrom, withoutSimilar } from './plan-export';
import type { PlannedSymbol } from './plan-symbol';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const spec: ExportSpec = {
  dataset: 'trades',
  symbols: ['BTCUSD-PERP'],
  fromMs: DAY_MS + HOUR_MS / 2,
  toMs: 3 * DAY_MS,
  asOfMs: 3 * DAY_MS,
  format: 'csv',
  compression: 'gzip',
  intervalMs: 0,
  depth: 0,
  columns: ['price'],
};

const hour = (at: number, rows: number) => ({ hourMs: at * HOUR_MS, firstOrdinal: at * 100 + 1, lastOrdinal: at * 100 + 100, rows });

const sizes = new Map([['BTCUSD-PERP', (rows: number) => 100 + 20 * rows]]);

function symbolWith(planned: readonly Omit<PlannedSymbol['days'][number], 'expectedRows'>[]): PlannedSymbol {
  const days = planned.map((day) => ({ ...day, expectedRows: day.rows }));
  return { symbol: 'BTCUSD-PERP', venue: 'x', sourceKind: 'live', keptFromMs: 0, isReported: true, rowsMin: 0, toOrdinal: 9_999, days };
}

test('a file is named by its dataset, symbol and day, and ends with the span', () => {
  const days = [
    { dayMs: DAY_MS, rows: 5, hours: [hour(24, 2), hour(25, 3)] },
    { dayMs: 2 * DAY_MS, rows: 1, hours: [hour(48, 1)] },
  ];
  const parts = planParts(spec, [symbolWith(days)], sizes);
  expect(
    parts.map(({ number, name, plan: { fromMs, toMs }, rowTotal, byteTotal }) => [number, name, fromMs, toMs, rowTotal, byteTotal]),
  ).toEqual([
    [1, 'trades_BTCUSD-PERP_19700102.csv.gz', spec.fromMs, 2 * DAY_MS, 5, 200],
    [2, 'trades_BTCUSD-PERP_19700103.csv.gz', 2 * DAY_MS, 3 * DAY_MS, 1, 120],
  ]);
});

test('a large day is cut at whole hours; every hour is in one file, in order, and no file is larger than it must be', () => {
  const rowsOfHours = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 24 });
  fc.assert(
    fc.property(rowsOfHours, fc.integer({ min: 1, max: 200_000 }), (rows, bytesMax) => {
      const hours = rows.map((total, index) => hour(24 + index, total));
      const rowTotal = rows.reduce((sum, total) => sum + total, 0);
      const parts = planParts(spec, [symbolWith([{ dayMs: DAY_MS, rows: rowTotal, hours }])], sizes, bytesMax);
      expect(parts.flatMap(({ plan }) => plan.hours)).toEqual(hours);
      expect(parts.reduce((sum, part) => sum + part.rowTotal, 0)).toBe(rowTotal);
      for (const { byteTotal, plan } of parts) if (plan.hours.length > 1) expect(byteTotal).toBeLessThanOrEqual(bytesMax);
      expect(parts.map(({ name }) => name)).toEqual(
        parts.length === 1
          ? ['trades_BTCUSD-PERP_19700102.csv.gz']
          : parts.map((_, index) => `trades_BTCUSD-PERP_19700102_p${String(index + 1).padStart(2, '0')}.csv.gz`),
      );
    }),
  );
});

test('a file of a similar length made earlier counts more than a sample, the nearest one first', () => {
  const made = [
    { symbol: 'BTCUSD-PERP', rows: 1_000, bytes: 5_000 },
    { symbol: 'BTCUSD-PERP', rows: 3_000, bytes: 9_000 },
    { symbol: 'ETHUSD-PERP', rows: 100, bytes: 1 },
  ];
  const lengths = [499, 500, 1_600, 2_000, 6_000, 6_001, 100];
  expect(lengths.map(sizeFrom(made, 'BTCUSD-PERP', sizes.get('BTCUSD-PERP')))).toEqual([
    10_080, 2_500, 8_000, 6_000, 18_000, 120_120, 2_100,
  ]);
  expect([100, 9_000].map(sizeFrom(made, 'BTCUSD-PERP', undefined))).toEqual([500, 27_000]);
  const days = (...rows: number[]) => [symbolWith(rows.map((total, index) => ({ dayMs: index * DAY_MS, rows: total, hours: [] })))];
  expect(withoutSimilar(days(500, 6_000), made)).toEqual([]);
  expect(withoutSimilar(days(500, 6_001), made)).toHaveLength(1);
});
