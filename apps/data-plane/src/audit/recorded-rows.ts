import {
  type BookEvent,
  type Channel,
  type ContextEvent,
  decodeEvent,
  type MissingSpan,
  lossOf,
  MINUTE_MS,
} from '@market-state/market-data';
import type { Clock } from '../feed/clock';
import { readRecorded } from '../store/recorded';
import { type Candle, candleSeries } from '@market-state/live-market';
import type { Pool } from 'pg';
import { readCandles } from '../store/candles';
import { DAY_GAPS_MAX, listGapRows } from '../store/gaps';
import { readWindowRows } from '../store/window-reader';

export interface AuditDeps {
  readonly pool: Pool;
  readonly clock: Clock;
}

/** Limit per run and channel; ten minutes of a recording have a quarter of it. */
const ROWS_MAX = 10_000;
const READ_MS_MAX = 9_000;
const RECORDED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 250;

/** `toMs` is exclusive. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Resolves to false if the recorder does not reach `momentMs` in time. */
export async function untilRecorded({ pool, clock }: AuditDeps, symbol: string, momentMs: number, signal: AbortSignal): Promise<boolean> {
  const lastMs = Math.max(clock.nowMs(), momentMs) + RECORDED_WITHIN_MS;
  await clock.waitUntil(momentMs, signal);
  for (;;) {
    const { clockMs = 0 } = await readRecorded(pool, symbol);
    if (clockMs >= momentMs || clock.nowMs() > lastMs) return clockMs >= momentMs;
    await clock.waitUntil(clock.nowMs() + LOOK_EVERY_MS, signal);
  }
}

export async function minutesOf({ pool }: AuditDeps, symbol: string, { fromMs, toMs }: Span, closingLagMs: number): Promise<Candle[]> {
  const span = await readCandles({ pool }, { symbol, intervalMs: MINUTE_MS, fromMs, toMs, asOfMs: undefined, timeoutMs: READ_MS_MAX });
  return candleSeries(span, { intervalMs: MINUTE_MS, fromMs, toMs, closingLagMs });
}

export async function booksOf(deps: AuditDeps, symbol: string, span: Span): Promise<BookEvent[]> {
  return (await eventsOf(deps, symbol, 'book', span)).filter((event): event is BookEvent => event.kind === 'book');
}

export async function contextsOf(deps: AuditDeps, symbol: string, span: Span): Promise<ContextEvent[]> {
  return (await eventsOf(deps, symbol, 'context', span)).filter((event): event is ContextEvent => event.kind === 'context');
}

export async function missingOf({ pool }: AuditDeps, symbol: string, channel: Channel, span: Span): Promise<MissingSpan[]> {
  const gaps = await listGapRows(pool, { symbol, ...span, asOfMs: Infinity, limit: DAY_GAPS_MAX });
  return gaps
    .filter((gap) => (gap.channel === undefined || gap.channel === channel) && lossOf(gap) !== 'none')
    .map(({ startMs, endMs }) => ({ startMs, endMs: endMs === 0 ? Infinity : endMs }));
}

async function eventsOf({ pool }: AuditDeps, symbol: string, channel: Channel, { fromMs, toMs }: Span) {
  const rows = await readWindowRows(
    { pool },
    {
      symbol,
      channels: [channel],
      startMs: fromMs,
      endMs: toMs,
      asOfMs: Number.MAX_SAFE_INTEGER,
      toOrdinal: Number.MAX_SAFE_INTEGER,
      afterOrdinal: 0,
      limit: ROWS_MAX,
    },
  );
  return rows.map(({ payload }) => decodeEvent(payload));
}
