import { type Compression, type Dataset, fileExtension, type Format } from '@market-state/export-schema';
import type { ExportSpec, PlannedPart, SourceHour } from '../jobs/job';
import type { PlannedDay, PlannedSymbol } from './plan-symbol';

const DAY_MS = 86_400_000;
/** Maximum source bytes per file, rounded to whole hours. */
const PART_BYTES_MAX = 512 * 1_024 * 1_024;

/** One file per symbol and UTC day with rows, split by whole hours if larger than `bytesMax`. */
export function planParts(spec: ExportSpec, symbols: readonly PlannedSymbol[], bytesMax = PART_BYTES_MAX): PlannedPart[] {
  let number = 0;
  return symbols.flatMap((planned) =>
    planned.days.flatMap((day) =>
      splitDay(spec, day, bytesMax).map(({ hours, rows, suffix }): PlannedPart => {
        number += 1;
        return {
          number,
          symbol: planned.symbol,
          dayMs: day.dayMs,
          name: nameOf(spec, planned.symbol, day.dayMs, suffix),
          plan: {
            fromMs: Math.max(spec.fromMs, day.dayMs),
            toMs: Math.min(spec.toMs, day.dayMs + DAY_MS),
            toOrdinal: planned.toOrdinal,
            hours,
          },
          rowTotal: rows,
          byteTotal: estimatedBytes(spec, rows),
        };
      }),
    ),
  );
}

interface Piece {
  readonly hours: readonly SourceHour[];
  readonly rows: number;
  readonly suffix: string;
}

function splitDay(spec: ExportSpec, { hours, rows }: PlannedDay, bytesMax: number): Piece[] {
  if (hours.length === 0 || estimatedBytes(spec, rows) <= bytesMax) return [{ hours, rows, suffix: '' }];
  const pieces: { hours: SourceHour[]; rows: number }[] = [];
  for (const hour of hours) {
    const current = pieces.at(-1);
    if (current !== undefined && estimatedBytes(spec, current.rows + hour.rows) <= bytesMax) {
      current.hours.push(hour);
      current.rows += hour.rows;
    } else pieces.push({ hours: [hour], rows: hour.rows });
  }
  if (pieces.length === 1) return [{ hours, rows, suffix: '' }];
  return pieces.map((piece, index) => ({ ...piece, suffix: `_p${String(index + 1).padStart(2, '0')}` }));
}

/** `trades_BTCUSD-PERP_20260101.parquet`: contains no customer text. */
function nameOf({ dataset, format, compression }: ExportSpec, symbol: string, dayMs: number, suffix: string): string {
  const day = new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '');
  return `${dataset}_${symbol}_${day}${suffix}.${fileExtension(format, compression)}`;
}

type Sizes = Readonly<Record<Format, Readonly<Partial<Record<Compression, number>>>>>;

/**
 * Bytes per row with all columns, measured by `npm run bench -- exports` on the bundled recording; liquidations and
 * context on the scenario set, packets on labelled recordings.
 */
const ROW_BYTES: Readonly<Record<Dataset, Sizes>> = {
  book: {
    parquet: { zstd: 267, snappy: 443, gzip: 230, none: 1_807 },
    csv: { zstd: 120, gzip: 114, none: 648 },
    ndjson: { zstd: 268, gzip: 244, none: 3_410 },
  },
  trades: {
    parquet: { zstd: 14, snappy: 31, gzip: 16, none: 84 },
    csv: { zstd: 20, gzip: 20, none: 161 },
    ndjson: { zstd: 23, gzip: 21, none: 391 },
  },
  liquidations: {
    parquet: { zstd: 20, snappy: 40, gzip: 23, none: 68 },
    csv: { zstd: 29, gzip: 28, none: 152 },
    ndjson: { zstd: 32, gzip: 31, none: 397 },
  },
  context: {
    parquet: { zstd: 29, snappy: 51, gzip: 30, none: 89 },
    csv: { zstd: 35, gzip: 33, none: 176 },
    ndjson: { zstd: 41, gzip: 41, none: 505 },
  },
  candles: {
    parquet: { zstd: 55, snappy: 79, gzip: 59, none: 148 },
    csv: { zstd: 28, gzip: 31, none: 192 },
    ndjson: { zstd: 34, gzip: 38, none: 377 },
  },
  packets: {
    parquet: { zstd: 2_432, snappy: 9_972, gzip: 5_546, none: 34_622 },
    csv: { zstd: 2_504, gzip: 6_313, none: 37_364 },
    ndjson: { zstd: 2_490, gzip: 6_348, none: 37_411 },
  },
};

export function estimatedBytes(
  { dataset, format, compression }: Pick<ExportSpec, 'dataset' | 'format' | 'compression'>,
  rows: number,
): number {
  const sizes = ROW_BYTES[dataset][format];
  // Every format's compressions are listed; the largest is a safe default.
  return Math.ceil(rows * (sizes[compression] ?? Math.max(...Object.values(sizes))));
}
