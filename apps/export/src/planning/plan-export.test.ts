import { compressionsOf, DATASETS, FORMATS } from '@market-state/export-schema';
import fc from 'fast-check';
import type { ExportSpec } from '../jobs/job';
import { estimatedBytes, planParts } from './plan-export';
import type { PlannedSymbol } from './plan-symbol';

test('every compression of every format has a size, and none is smaller than zstd by much', () => {
  for (const dataset of DATASETS)
    for (const format of FORMATS)
      for (const compression of compressionsOf(format)) {
        const packed = estimatedBytes({ dataset, format, compression: 'zstd' }, 1_000);
        expect(packed).toBeGreaterThan(0);
        expect(estimatedBytes({ dataset, format, compression }, 1_000)).toBeGreaterThan(packed * 0.8);
        expect(estimatedBytes({ dataset, format, compression: 'none' }, 1_000)).toBeGreaterThan(packed * 2);
      }
});

test('so many rows, so many bytes', () => {
  const written = { dataset: 'trades', format: 'parquet', compression: 'zstd' } as const;
  expect(estimatedBytes(written, 0)).toBe(0);
  expect(estimatedBytes(written, 1_000_000)).toBe(14_003_000);
});

test('files made earlier decide: in proportion to one, and between two', () => {
  const written = { dataset: 'trades', format: 'csv', compression: 'zstd' } as const;
  const one = { rows: 1_000, bytes: 8_000 };
  expect(estimatedBytes(written, 500, [one])).toBe(4_000);
  expect(estimatedBytes(written, 2_000, [one])).toBe(16_000);
  expect(estimatedBytes(written, 2_000, [{ rows: 3_000, bytes: 20_000 }, one])).toBe(14_000);
  expect(estimatedBytes({ ...written, format: 'parquet' }, 2_000, [one])).toBe(13_000);
});

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

function symbolWith(days: PlannedSymbol['days']): PlannedSymbol {
  return { symbol: 'BTCUSD-PERP', venue: 'x', sourceKind: 'live', keptFromMs: 0, isReported: true, rowsMin: 0, toOrdinal: 9_999, days };
}

test('a file is named by its dataset, symbol and day, and ends with the span', () => {
  const days = [
    { dayMs: DAY_MS, rows: 5, hours: [hour(24, 2), hour(25, 3)] },
    { dayMs: 2 * DAY_MS, rows: 1, hours: [hour(48, 1)] },
  ];
  const parts = planParts(spec, [symbolWith(days)], []);
  expect(parts.map(({ number, name, plan: { fromMs, toMs }, rowTotal }) => [number, name, fromMs, toMs, rowTotal])).toEqual([
    [1, 'trades_BTCUSD-PERP_19700102.csv.gz', spec.fromMs, 2 * DAY_MS, 5],
    [2, 'trades_BTCUSD-PERP_19700103.csv.gz', 2 * DAY_MS, 3 * DAY_MS, 1],
  ]);
});

test('a large day is cut at whole hours; every hour is in one file, in order, and no file is larger than it must be', () => {
  const rowsOfHours = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 24 });
  fc.assert(
    fc.property(rowsOfHours, fc.integer({ min: 1, max: 200_000 }), (rows, bytesMax) => {
      const hours = rows.map((total, index) => hour(24 + index, total));
      const rowTotal = rows.reduce((sum, total) => sum + total, 0);
      const parts = planParts(spec, [symbolWith([{ dayMs: DAY_MS, rows: rowTotal, hours }])], [], bytesMax);
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
