import type { Queryable } from '@market-state/postgres';
import { DAY_MS } from '@market-state/service-figures';
import type { DayFigures, FigureSpan } from '../figures/figure-store';
import { readRows } from './reading';

/** Of these symbols, null for all, and minutes [fromMs, toMs). */
type MinuteSpan = Omit<FigureSpan, 'symbols'> & { readonly symbols: readonly string[] | null };

/** Totals of a symbol and day, from its minutes. */
export interface TotalsRow {
  readonly symbol: string;
  readonly day_ms: number;
  readonly since_ms: number | null;
  readonly minutes: number;
  readonly gateway_minutes: number;
  readonly in_time: number;
  readonly remade: number;
}

/** How many times of a stage are in one bucket. */
export interface BucketRow {
  readonly symbol: string;
  readonly day_ms: number;
  readonly stage: 'closing_tick_to_packet' | 'packet_to_gateway' | 'closing_tick_to_gateway';
  /** From 1. */
  readonly place: number;
  readonly total: number;
}

/** A day as it is kept. */
export interface KeptDay extends DayFigures {
  /** Since when the symbol is counted; null on days in which no run of this service began. */
  readonly sinceMs: number | null;
}

const DAY = `(minute_ms - minute_ms % ${DAY_MS})::float8`;
const WHERE = '($1::text[] IS NULL OR symbol = ANY ($1)) AND minute_ms >= $2 AND minute_ms < $3';

const TOTALS = `
  SELECT symbol, day_ms, min(since_ms)::float8 AS since_ms, sum(minutes)::int AS minutes, sum(gateway_minutes)::int AS gateway_minutes,
    sum(in_time)::int AS in_time, sum(remade)::int AS remade
  FROM (
    SELECT symbol, ${DAY} AS day_ms, min(since_ms) AS since_ms, count(DISTINCT minute_ms) AS minutes, 0 AS gateway_minutes,
      sum(in_time) AS in_time, sum(remade) AS remade
    FROM packet_minute WHERE ${WHERE} GROUP BY 1, 2
    UNION ALL
    SELECT symbol, ${DAY}, NULL, 0, count(DISTINCT minute_ms), 0, 0 FROM gateway_minute WHERE ${WHERE} GROUP BY 1, 2
  ) AS counted GROUP BY symbol, day_ms`;

const HISTOGRAMS = [
  ['packet_minute', 'closing_tick_to_packet'],
  ['gateway_minute', 'packet_to_gateway'],
  ['gateway_minute', 'closing_tick_to_gateway'],
]
  .map(
    ([table, stage]) => `
  SELECT symbol, ${DAY} AS day_ms, '${stage}' AS stage, place::int AS place, sum(total)::int AS total
  FROM ${table}, unnest(${stage}) WITH ORDINALITY AS bucket(total, place) WHERE ${WHERE} GROUP BY 1, 2, 4`,
  )
  .join(' UNION ALL ');

const valuesOf = ({ symbols, fromMs, toMs }: MinuteSpan): unknown[] => [symbols, fromMs, toMs];

export async function readTotals(on: Queryable, span: MinuteSpan): Promise<TotalsRow[]> {
  return readRows<TotalsRow>(on, { name: 'figure-totals', text: TOTALS }, valuesOf(span));
}

export async function readHistograms(on: Queryable, span: MinuteSpan): Promise<BucketRow[]> {
  return readRows<BucketRow>(on, { name: 'figure-histograms', text: HISTOGRAMS }, valuesOf(span));
}

/** Days from the sums of their minutes. */
export function toDays(totals: readonly TotalsRow[], buckets: readonly BucketRow[]): KeptDay[] {
  return totals.map((row) => {
    const own = buckets.filter(({ symbol, day_ms: dayMs }) => symbol === row.symbol && dayMs === row.day_ms);
    return {
      ...{ symbol: row.symbol, dayMs: row.day_ms, sinceMs: row.since_ms, minutes: row.minutes, gatewayMinutes: row.gateway_minutes },
      ...{ inTime: row.in_time, remade: row.remade },
      closingTickToPacket: countsOf(own, 'closing_tick_to_packet'),
      packetToGateway: countsOf(own, 'packet_to_gateway'),
      closingTickToGateway: countsOf(own, 'closing_tick_to_gateway'),
    };
  });
}

function countsOf(buckets: readonly BucketRow[], wanted: BucketRow['stage']): number[] {
  const counts: number[] = [];
  for (const { stage, place, total } of buckets) if (stage === wanted) counts[place - 1] = total;
  return Array.from(counts, (count) => count ?? 0);
}

const KEPT = `symbol, day_ms, since_ms, minutes, gateway_minutes, in_time, remade, closing_tick_to_packet, packet_to_gateway,
  closing_tick_to_gateway`;

/** Keeps days; what is kept of one already stays. */
export async function insertDays(on: Queryable, days: readonly KeptDay[]): Promise<void> {
  const rows = days.map((day) => ({
    ...{ symbol: day.symbol, day_ms: day.dayMs, since_ms: day.sinceMs, minutes: day.minutes, gateway_minutes: day.gatewayMinutes },
    ...{ in_time: day.inTime, remade: day.remade, closing_tick_to_packet: day.closingTickToPacket },
    ...{ packet_to_gateway: day.packetToGateway, closing_tick_to_gateway: day.closingTickToGateway },
  }));
  await on.query(
    `INSERT INTO packet_day (${KEPT}) SELECT ${KEPT} FROM jsonb_populate_recordset(NULL::packet_day, $1) ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  );
}

/** Days that were added up, from those that begin in the span. */
export async function readFolded(on: Queryable, { symbols, fromMs, toMs }: FigureSpan): Promise<DayFigures[]> {
  const rows = await readRows<TotalsRow & Record<BucketRow['stage'], number[]>>(
    on,
    `SELECT symbol, day_ms::float8 AS day_ms, minutes, gateway_minutes, in_time, remade, closing_tick_to_packet, packet_to_gateway,
       closing_tick_to_gateway
     FROM packet_day WHERE symbol = ANY ($1) AND day_ms >= $2 AND day_ms < $3`,
    [symbols, fromMs, toMs],
  );
  return rows.map((row) => ({
    ...{ symbol: row.symbol, dayMs: row.day_ms, minutes: row.minutes, gatewayMinutes: row.gateway_minutes },
    ...{ inTime: row.in_time, remade: row.remade, closingTickToPacket: row.closing_tick_to_packet },
    ...{ packetToGateway: row.packet_to_gateway, closingTickToGateway: row.closing_tick_to_gateway },
  }));
}
