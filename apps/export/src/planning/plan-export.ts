import { createHash } from 'node:crypto';
import { failedPrecondition } from '@market-state/errors';
import { costOf, limitsOf } from '@market-state/pricing';
import type { Pool } from 'pg';
import { type Compression, type Dataset, fileExtension, type Format } from '@market-state/export-schema';
import type { ExportSpec, JobSymbol, PlannedPart, SourceHour } from '../jobs/job';
import { listMadeSizes, type MadeSize } from '../store/made-sizes';
import type { Upstreams } from '../upstreams';
import { type PlannedSymbol, planSymbol, type PlannedDay } from './plan-symbol';
import { type RequestedSpec, fixSpec } from './resolve-spec';

const DAY_MS = 86_400_000;
/** Maximum source bytes per file, rounded to whole hours. */
const PART_BYTES_MAX = 512 * 1_024 * 1_024;

/** Split by whole hours if larger than `bytesMax`. */
export function planParts(
  spec: ExportSpec,
  symbols: readonly PlannedSymbol[],
  made: readonly MadeSize[],
  bytesMax = PART_BYTES_MAX,
): PlannedPart[] {
  let number = 0;
  return symbols.flatMap((planned) => {
    const ofSymbol = made.filter(({ symbol }) => symbol === planned.symbol);
    const bytesOf = (rows: number): number => estimatedBytes(spec, rows, ofSymbol);
    return planned.days.flatMap((day) =>
      splitDay(day, bytesMax, bytesOf).map(({ hours, rows, suffix }): PlannedPart => {
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
          byteTotal: bytesOf(rows),
        };
      }),
    );
  });
}

interface Piece {
  readonly hours: readonly SourceHour[];
  readonly rows: number;
  readonly suffix: string;
}

function splitDay({ hours, rows }: PlannedDay, bytesMax: number, bytesOf: (rows: number) => number): Piece[] {
  if (hours.length === 0 || bytesOf(rows) <= bytesMax) return [{ hours, rows, suffix: '' }];
  const pieces: { hours: SourceHour[]; rows: number }[] = [];
  for (const hour of hours) {
    const current = pieces.at(-1);
    if (current !== undefined && bytesOf(current.rows + hour.rows) <= bytesMax) {
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
  return `${dataset}_${symbol.replace('@', '_')}_${day}${suffix}.${fileExtension(format, compression)}`;
}

type Sizes = Readonly<Record<Format, Readonly<Partial<Record<Compression, number>>>>>;

/**
 * Bytes per row with all columns, used until a file of the same kind was made. Measured by `npm run bench -- exports` on
 * the bundled recording; liquidations and context on the scenario set, packets on labelled recordings.
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

const FILE_BYTES: Readonly<Record<Format, number>> = { parquet: 3_000, csv: 0, ndjson: 0 };

/** Bytes of a file, in proportion to files made earlier: between the next smaller and the next larger one, or from one of them. */
export function estimatedBytes(
  { dataset, format, compression }: Pick<ExportSpec, 'dataset' | 'format' | 'compression'>,
  rows: number,
  made: readonly Pick<MadeSize, 'rows' | 'bytes'>[] = [],
): number {
  if (rows === 0) return 0;
  const smaller = made.filter((each) => each.rows <= rows).sort((a, b) => b.rows - a.rows)[0];
  const larger = made.filter((each) => each.rows > rows).sort((a, b) => a.rows - b.rows)[0];
  if (smaller !== undefined && larger !== undefined)
    return Math.ceil(smaller.bytes + ((larger.bytes - smaller.bytes) * (rows - smaller.rows)) / (larger.rows - smaller.rows));
  const one = smaller ?? larger;
  const sizes = ROW_BYTES[dataset][format];
  // Every format's compressions are listed; the largest is a safe default.
  const usual = sizes[compression] ?? Math.max(...Object.values(sizes));
  const rowBytes = one === undefined ? usual : Math.max(0, one.bytes - FILE_BYTES[format]) / one.rows;
  return Math.ceil(FILE_BYTES[format] + rows * rowBytes);
}

const SYMBOLS_AT_ONCE = 4;

export interface ExportPlan {
  readonly spec: ExportSpec;
  readonly symbols: readonly JobSymbol[];
  readonly parts: readonly PlannedPart[];
  /** Exact for a job; otherwise, and always for candles, the maximum. */
  readonly rowTotal: number;
  readonly byteTotal: number;
  readonly credits: number;
  readonly creditsMin: number;
  /** SHA-256 over spec and parts, lower-case hex. */
  readonly digest: string;
}

interface PlanOptions {
  readonly planId: string;
  /** Counts individual rows in hours that are partly in the period. */
  readonly isExact: boolean;
}

/**
 * Plans an export as of now.
 * @throws ServiceError as PlanExport
 */
export async function planExport(
  { pool, ...upstreams }: Upstreams & { readonly pool: Pool },
  requested: RequestedSpec,
  { planId, isExact }: PlanOptions,
): Promise<ExportPlan> {
  const spec = await fixSpec(upstreams, requested);
  const made = await listMadeSizes(pool, spec);
  const planned: PlannedSymbol[] = [];
  for (let at = 0; at < spec.symbols.length; at += SYMBOLS_AT_ONCE)
    planned.push(
      ...(await Promise.all(spec.symbols.slice(at, at + SYMBOLS_AT_ONCE).map((symbol) => planSymbol(upstreams, spec, symbol, isExact)))),
    );
  const parts = planParts(spec, planned, made);
  const rowTotal = parts.reduce((sum, part) => sum + part.rowTotal, 0);
  const byteTotal = parts.reduce((sum, part) => sum + part.byteTotal, 0);
  refuseLarge(byteTotal, limitsOf(planId).exportBytesMax);
  return {
    spec,
    symbols: planned.map(({ symbol, venue, sourceKind, keptFromMs, isReported }) => ({
      symbol,
      venue,
      sourceKind,
      keptFromMs,
      isReported,
    })),
    parts,
    rowTotal,
    byteTotal,
    credits: costOf('export_job', rowTotal),
    creditsMin: costOf(
      'export_job',
      planned.reduce((sum, { rowsMin }) => sum + rowsMin, 0),
    ),
    digest: createHash('sha256')
      .update(JSON.stringify([spec, parts]))
      .digest('hex'),
  };
}

function refuseLarge(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  throw failedPrecondition(
    'result_too_large',
    'The files would be larger than the plan allows. Shorten the period or select fewer symbols.',
    {
      metadata: { bytes: String(bytes), bytes_max: String(bytesMax) },
    },
  );
}
