import { ArchiveCorruptError, type ArchiveReader } from '@market-state/archive';
import { failedPrecondition, ServiceError, unavailable } from '@market-state/errors';
import type { Channel } from '@market-state/market-data';
import type { Pool } from 'pg';
import { type ChannelHour, type LogSpan, planHours, wereDropped } from '../store/channel-hours';
import { reading } from '../store/store-failure';

export interface SpanDeps {
  readonly pool: Pool;
  /** Without it, all rows are hot. */
  readonly archive?: ArchiveReader;
}

/** Part of the log; ordinals as in LogSpan. */
export interface LogSegment {
  readonly channels: readonly Channel[];
  readonly afterOrdinal: number;
  readonly toOrdinal: number;
  readonly limit: number;
}

export interface RowSource<Row> {
  hot(logSegment: LogSegment): Promise<Row[]>;
  archived(archive: ArchiveReader, hour: ChannelHour, logSegment: LogSegment): Promise<Row[]>;
}

const TRIES = 4;

/**
 * Reads hot rows and archive as one, in log order.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` naming the hour; otherwise as `storeFailure`
 */
export async function readSpan<Row extends { readonly ordinal: number }>(
  deps: SpanDeps,
  span: LogSpan,
  limit: number,
  source: RowSource<Row>,
): Promise<Row[]> {
  const found: Row[] = [];
  let { afterOrdinal } = span;
  for (;;) {
    const { rows, isWhole, readToOrdinal } = await readPlanned(deps, { ...span, afterOrdinal }, limit - found.length, source);
    found.push(...rows);
    if (isWhole || found.length >= limit) return found;
    afterOrdinal = readToOrdinal;
  }
}

interface PlannedRows<Row> {
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
  readonly readToOrdinal: number;
}

async function readPlanned<Row extends { readonly ordinal: number }>(
  deps: SpanDeps,
  span: LogSpan,
  limit: number,
  source: RowSource<Row>,
): Promise<PlannedRows<Row>> {
  return byPlan(
    deps.pool,
    () => planHours(deps.pool, span),
    async ({ hours, isWhole }) => ({ ...(await readHours(deps, span, hours, limit, source)), isWhole }),
  );
}

/** Repeats both steps if retention dropped rows or a file in between. */
export async function byPlan<Plan extends { readonly hours: readonly ChannelHour[] }, Result>(
  pool: Pool,
  plan: () => Promise<Plan>,
  work: (planned: Plan) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const planned = await plan();
    try {
      const result = await work(planned);
      if (!(await wereDropped(pool, planned.hours))) return result;
    } catch (error) {
      // Retention may have deleted the file since the plan; the next plan omits it.
      if (attempt > 1 || !(error instanceof ServiceError && error.reason === 'archive_corrupt')) throw error;
    }
  }
  throw unavailable('upstream_unavailable', 'Rows are being moved to the archive. Retry in a moment.');
}

async function readHours<Row extends { readonly ordinal: number }>(
  deps: SpanDeps,
  span: LogSpan,
  hours: readonly ChannelHour[],
  limit: number,
  source: RowSource<Row>,
): Promise<Omit<PlannedRows<Row>, 'isWhole'>> {
  const rows: Row[] = [];
  let readToOrdinal = span.afterOrdinal;
  for (const segment of segmentsOf(hours)) {
    if (rows.length >= limit) break;
    rows.push(...(await readSegment(deps, span, segment, limit - rows.length, source)));
    readToOrdinal = Math.max(readToOrdinal, ...segment.map(({ lastOrdinal }) => lastOrdinal));
  }
  return { rows, readToOrdinal };
}

function segmentsOf(hours: readonly ChannelHour[]): ChannelHour[][] {
  const segments: { readonly hours: ChannelHour[]; isHot: boolean; lastOrdinal: number }[] = [];
  for (const hour of [...hours].sort((one, other) => one.firstOrdinal - other.firstOrdinal)) {
    const current = segments.at(-1);
    const isHot = hour.file === undefined;
    const overlaps = current !== undefined && hour.firstOrdinal <= current.lastOrdinal;
    if (current !== undefined && (overlaps || (current.isHot && isHot))) {
      current.hours.push(hour);
      current.isHot &&= isHot;
      current.lastOrdinal = Math.max(current.lastOrdinal, hour.lastOrdinal);
    } else {
      segments.push({ hours: [hour], isHot, lastOrdinal: hour.lastOrdinal });
    }
  }
  return segments.map((segment) => segment.hours);
}

export function segmentOfHours(
  span: Pick<LogSpan, 'afterOrdinal' | 'toOrdinal'>,
  hours: readonly ChannelHour[],
  limit: number,
): LogSegment {
  return {
    channels: [...new Set(hours.map(({ channel }) => channel))],
    afterOrdinal: Math.max(span.afterOrdinal, Math.min(...hours.map(({ firstOrdinal }) => firstOrdinal)) - 1),
    toOrdinal: Math.min(span.toOrdinal, Math.max(...hours.map(({ lastOrdinal }) => lastOrdinal))),
    limit,
  };
}

async function readSegment<Row extends { readonly ordinal: number }>(
  deps: SpanDeps,
  span: LogSpan,
  segment: readonly ChannelHour[],
  limit: number,
  source: RowSource<Row>,
): Promise<Row[]> {
  if (segment.every(({ file }) => file === undefined)) return source.hot(segmentOfHours(span, segment, limit));
  const parts = await Promise.all(
    segment.map((hour) =>
      hour.file === undefined
        ? source.hot(segmentOfHours(span, [hour], limit))
        : fromArchive(deps, hour, (archive) => source.archived(archive, hour, segmentOfHours(span, [hour], limit))),
    ),
  );
  return parts
    .flat()
    .sort((one, other) => one.ordinal - other.ordinal)
    .slice(0, limit);
}

/** @throws ServiceError FAILED_PRECONDITION `archive_corrupt` */
export async function fromArchive<T>({ archive }: SpanDeps, hour: ChannelHour, read: (archive: ArchiveReader) => Promise<T>): Promise<T> {
  if (archive === undefined) throw archiveCorrupt(hour, 'no archive is configured');
  try {
    return await reading(read(archive));
  } catch (error) {
    throw error instanceof ArchiveCorruptError ? archiveCorrupt(hour, error.message, error) : error;
  }
}

function archiveCorrupt({ symbol, channel, hourMs }: ChannelHour, detail: string, cause?: Error): ServiceError {
  const hour = new Date(hourMs).toISOString();
  return failedPrecondition('archive_corrupt', `The archived rows of ${symbol}, channel ${channel}, hour ${hour} are missing or damaged.`, {
    metadata: { symbol, channel, hour },
    detail,
    cause,
  });
}
