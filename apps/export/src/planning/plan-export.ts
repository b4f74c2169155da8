import { createHash } from 'node:crypto';
import { failedPrecondition } from '@market-state/errors';
import { costOf, limitsOf } from '@market-state/pricing';
import { fileExtension } from '@market-state/export-schema';
import type { ExportSpec, JobSymbol, PlannedPart, SourceHour } from '../jobs/job';
import type { Pool } from 'pg';
import { listMadeSizes, type MadeSize } from '../store/made-sizes';
import type { Upstreams } from '../upstreams';
import type { MeasureSizes, SizeOf } from './file-sizes';
import { type Counting, type PlannedDay, type PlannedSymbol, planSymbol } from './plan-symbol';
import { type RequestedSpec, fixSpec } from './resolve-spec';

const DAY_MS = 86_400_000;
/** Maximum source bytes per file, rounded to whole hours. */
const PART_BYTES_MAX = 512 * 1_024 * 1_024;

/** Split by whole hours if larger than `bytesMax`. */
export function planParts(
  spec: ExportSpec,
  symbols: readonly PlannedSymbol[],
  sizes: ReadonlyMap<string, SizeOf>,
  bytesMax = PART_BYTES_MAX,
): PlannedPart[] {
  let number = 0;
  return symbols.flatMap((planned) => {
    const sizeOf = sizes.get(planned.symbol) ?? (() => 0);
    return planned.days.flatMap((day) => {
      const bytesOf = (rows: number): number => sizeOf((rows * day.expectedRows) / day.rows);
      return splitDay(day, bytesMax, bytesOf).map(({ hours, rows, suffix }): PlannedPart => {
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
      });
    });
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

/** Files of a more different length say less than a sample of the requested rows. */
const SIMILAR_ROWS = 2;

function distance(file: MadeSize, rows: number): number {
  return Math.abs(Math.log(file.rows / rows));
}

function nearestMade(made: readonly MadeSize[], symbol: string, rows: number): MadeSize | undefined {
  const ofSymbol = made.filter((file) => file.symbol === symbol);
  return ofSymbol.sort((one, other) => distance(one, rows) - distance(other, rows))[0];
}

function isSimilar(file: MadeSize | undefined, rows: number): file is MadeSize {
  return file !== undefined && distance(file, rows) <= Math.log(SIMILAR_ROWS);
}

/** Symbols with a file that is not similar to any made earlier. */
export function withoutSimilar(planned: readonly PlannedSymbol[], made: readonly MadeSize[]): readonly PlannedSymbol[] {
  return planned.filter(({ symbol, days }) =>
    days.some(({ expectedRows }) => !isSimilar(nearestMade(made, symbol, expectedRows), expectedRows)),
  );
}

/** Follows the nearest earlier file of the same kind if it has half to twice as many rows or there is no sample. */
export function sizeFrom(made: readonly MadeSize[], symbol: string, sampled: SizeOf | undefined): SizeOf {
  return (rows) => {
    const nearest = nearestMade(made, symbol, rows);
    if (isSimilar(nearest, rows) || (nearest !== undefined && sampled === undefined))
      return Math.ceil((nearest.bytes * rows) / nearest.rows);
    return sampled?.(rows) ?? 0;
  };
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
  /** SHA-256 over spec and parts, lower-case hex. */
  readonly digest: string;
}

interface PlanDeps extends Upstreams {
  readonly pool: Pool;
  readonly measureSizes: MeasureSizes;
}

/**
 * Plans an export as of now.
 * @throws ServiceError as PlanExport
 */
export async function planExport(
  { pool, measureSizes, ...upstreams }: PlanDeps,
  requested: RequestedSpec,
  { planId, counting }: { readonly planId: string; readonly counting: Counting },
): Promise<ExportPlan> {
  const { spec, planned } = await planSymbols(upstreams, requested, counting);
  const made = await listMadeSizes(pool, spec);
  const sampled = await measureSizes(spec, withoutSimilar(planned, made));
  const parts = planParts(spec, planned, new Map(planned.map(({ symbol }) => [symbol, sizeFrom(made, symbol, sampled.get(symbol))])));
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
    digest: createHash('sha256')
      .update(JSON.stringify([spec, parts]))
      .digest('hex'),
  };
}

/**
 * Credits that an export costs at least, from hours that are wholly in its period.
 * @throws ServiceError as PlanExport, except `result_too_large`
 */
export async function minimumCredits(upstreams: Upstreams, requested: RequestedSpec): Promise<number> {
  const { planned } = await planSymbols(upstreams, requested, 'whole');
  return costOf(
    'export_job',
    planned.reduce((sum, { rowsMin }) => sum + rowsMin, 0),
  );
}

async function planSymbols(
  upstreams: Upstreams,
  requested: RequestedSpec,
  counting: Counting,
): Promise<{ readonly spec: ExportSpec; readonly planned: readonly PlannedSymbol[] }> {
  const spec = await fixSpec(upstreams, requested);
  const planned: PlannedSymbol[] = [];
  for (let at = 0; at < spec.symbols.length; at += SYMBOLS_AT_ONCE)
    planned.push(
      ...(await Promise.all(spec.symbols.slice(at, at + SYMBOLS_AT_ONCE).map((symbol) => planSymbol(upstreams, spec, symbol, counting)))),
    );
  return { spec, planned };
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
