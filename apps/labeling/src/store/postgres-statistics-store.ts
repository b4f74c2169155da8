import { inTransaction, type Queryable } from '@market-state/postgres';
import {
  DAY_MS,
  dayOf,
  FIGURES_KEPT_MS,
  FOLDED_AFTER_MS,
  type LateSpan,
  MINUTE_MS,
  type MinuteInTime,
  WINDOW_MS,
} from '@market-state/service-figures';
import type { Pool } from 'pg';
import type { DayStatistics, ChartSpan, StatisticsStore } from '../packets/packet-statistics';
import { readRows } from './reading';

type MinuteSpan = Omit<ChartSpan, 'symbols'> & { readonly symbols: readonly string[] | null };

interface TotalsRow {
  readonly symbol: string;
  readonly day_ms: number;
  readonly since_ms: number | null;
  readonly minutes: number;
  readonly gateway_minutes: number;
  readonly in_time: number;
  readonly remade: number;
}

interface BucketRow {
  readonly symbol: string;
  readonly day_ms: number;
  readonly stage: 'closing_tick_to_packet' | 'packet_to_gateway' | 'closing_tick_to_gateway';
  readonly place: number;
  readonly total: number;
}

interface StoredDay extends DayStatistics {
  /** Start of counting; null on days in which no run of this service started. */
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

async function readTotals(on: Queryable, span: MinuteSpan): Promise<TotalsRow[]> {
  return readRows<TotalsRow>(on, { name: 'figure-totals', text: TOTALS }, valuesOf(span));
}

async function readHistograms(on: Queryable, span: MinuteSpan): Promise<BucketRow[]> {
  return readRows<BucketRow>(on, { name: 'figure-histograms', text: HISTOGRAMS }, valuesOf(span));
}

function toDays(totals: readonly TotalsRow[], buckets: readonly BucketRow[]): StoredDay[] {
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

async function insertDays(on: Queryable, days: readonly StoredDay[]): Promise<void> {
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

async function readFolded(on: Queryable, { symbols, fromMs, toMs }: ChartSpan): Promise<DayStatistics[]> {
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

const BATCH_ROWS = 10_000;

const WINDOWS_A_MINUTE = MINUTE_MS / WINDOW_MS;

const WRITE_PACKET_MINUTES = {
  name: 'write-packet-minutes',
  text: `INSERT INTO packet_minute SELECT * FROM jsonb_populate_recordset(NULL::packet_minute, $1)
    ON CONFLICT (symbol, minute_ms, counter_id) DO UPDATE SET since_ms = EXCLUDED.since_ms, in_time = EXCLUDED.in_time,
      remade = EXCLUDED.remade, closing_tick_to_packet = EXCLUDED.closing_tick_to_packet`,
};

const WRITE_GATEWAY_MINUTES = {
  name: 'write-gateway-minutes',
  text: `INSERT INTO gateway_minute SELECT * FROM jsonb_populate_recordset(NULL::gateway_minute, $1)
    ON CONFLICT (symbol, minute_ms, counter_id) DO UPDATE SET packet_to_gateway = EXCLUDED.packet_to_gateway,
      closing_tick_to_gateway = EXCLUDED.closing_tick_to_gateway`,
};

export function createPostgresStatisticsStore(pool: Pool): StatisticsStore {
  /** Aggregated days, and the span whose days must be computed from minutes. */
  async function daysOf(span: ChartSpan): Promise<{ readonly folded: readonly DayStatistics[]; readonly open: ChartSpan }> {
    const foldedToMs = await readFoldedTo(pool);
    const folded = await readFolded(pool, { ...span, fromMs: dayOf(span.fromMs), toMs: Math.min(span.toMs, foldedToMs) });
    return { folded, open: { ...span, fromMs: Math.max(span.fromMs, foldedToMs) } };
  }

  return {
    async countedSince() {
      const rows = await readRows<{ symbol: string; since: number }>(
        pool,
        `SELECT symbol, min(since_ms)::float8 AS since FROM (
           SELECT symbol, since_ms FROM packet_minute WHERE since_ms IS NOT NULL UNION ALL
           SELECT symbol, since_ms FROM packet_day WHERE since_ms IS NOT NULL) AS started GROUP BY symbol`,
      );
      return new Map(rows.map(({ symbol, since }) => [symbol, since]));
    },
    async writePacketMinutes(minutes) {
      const rows = minutes.map(({ symbol, minuteMs, counterId, sinceMs, inTime, remade, closingTickToPacket }) => ({
        ...{ symbol, minute_ms: minuteMs, counter_id: counterId, since_ms: sinceMs, in_time: inTime, remade },
        closing_tick_to_packet: closingTickToPacket,
      }));
      await readRows(pool, WRITE_PACKET_MINUTES, [JSON.stringify(rows)]);
    },
    async writeGatewayMinutes(minutes) {
      const rows = minutes.map(({ symbol, minuteMs, counterId, packetToGateway, closingTickToGateway }) => ({
        ...{ symbol, minute_ms: minuteMs, counter_id: counterId },
        ...{ packet_to_gateway: packetToGateway, closing_tick_to_gateway: closingTickToGateway },
      }));
      await readRows(pool, WRITE_GATEWAY_MINUTES, [JSON.stringify(rows)]);
    },
    async totals(span) {
      const { folded, open } = await daysOf(span);
      return [...folded, ...toDays(await readTotals(pool, open), [])];
    },
    async days(span) {
      const { folded, open } = await daysOf(span);
      const [totals, histograms] = await Promise.all([readTotals(pool, open), readHistograms(pool, open)]);
      return [...folded, ...toDays(totals, histograms)];
    },
    async late(span, since) {
      const [minutes, unknown] = await Promise.all([readLateMinutes(pool, span, since), readUnknown(pool, span, since)]);
      return { minutes, unknown };
    },
    async fold(nowMs) {
      await foldDays(pool, nowMs);
      await forgetMinutes(pool, nowMs);
    },
  };
}

async function readFoldedTo(pool: Pool): Promise<number> {
  const [row] = await readRows<{ day: number | null }>(pool, 'SELECT max(day_ms)::float8 AS day FROM folded_day');
  return typeof row?.day === 'number' ? row.day + DAY_MS : 0;
}

async function readLateMinutes(
  pool: Pool,
  { symbols, fromMs, toMs }: ChartSpan,
  since: ReadonlyMap<string, number>,
): Promise<MinuteInTime[]> {
  const rows = await readRows<{ symbol: string; minute: number; in_time: number }>(
    pool,
    `SELECT symbol, minute_ms::float8 AS minute, sum(in_time)::int AS in_time FROM packet_minute
     WHERE (symbol, minute_ms) IN (
       SELECT symbol, minute_ms FROM packet_minute WHERE in_time < 6 AND minute_ms >= $2 AND minute_ms < $3 AND symbol = ANY ($1))
     GROUP BY symbol, minute_ms HAVING sum(in_time) < $4`,
    [symbols, fromMs, toMs, WINDOWS_A_MINUTE],
  );
  return rows.map(({ symbol, minute, in_time: inTime }) => {
    const countedMs = minute + MINUTE_MS - Math.max(minute, since.get(symbol) ?? minute);
    return { symbol, minuteMs: minute, inTime, due: Math.floor(countedMs / WINDOW_MS) };
  });
}

/** Spans without data: between minutes of different runs, before one with `since_ms`, and after the newest. */
async function readUnknown(pool: Pool, { symbols, fromMs, toMs }: ChartSpan, since: ReadonlyMap<string, number>): Promise<LateSpan[]> {
  const counted = symbols.filter((symbol) => since.has(symbol));
  const rows = await readRows<{ symbol: string; before: number | null; next: number | null }>(
    pool,
    `SELECT symbol, next::float8 AS next, (
       SELECT max(minute_ms) FROM packet_minute AS earlier WHERE earlier.symbol = started.symbol AND minute_ms < coalesce(next, $3)
     )::float8 AS before
     FROM (
       SELECT symbol, minute_ms AS next FROM packet_minute
       WHERE since_ms IS NOT NULL AND minute_ms >= $2 AND minute_ms < $3 AND symbol = ANY ($1)
       UNION SELECT unnest($1::text[]), NULL) AS started`,
    [counted, fromMs, toMs],
  );
  return rows.flatMap(({ symbol, before, next }) => {
    const [startMs, endMs] = [(before ?? fromMs - MINUTE_MS) + MINUTE_MS, next ?? toMs];
    // Nothing is missing before the very first minute.
    if (before === null && next !== null) return [];
    return startMs < endMs ? [{ symbol, startMs, endMs }] : [];
  });
}

/** One day at a time; days aggregated by another process stay. */
async function foldDays(pool: Pool, nowMs: number): Promise<void> {
  const [first] = await readRows<{ minute: number | null }>(
    pool,
    `SELECT least((SELECT min(minute_ms) FROM packet_minute), (SELECT min(minute_ms) FROM gateway_minute))::float8 AS minute`,
  );
  if (typeof first?.minute !== 'number') return;
  const foldedToMs = await readFoldedTo(pool);
  for (let dayMs = Math.max(foldedToMs, dayOf(first.minute)); dayMs + DAY_MS + FOLDED_AFTER_MS <= nowMs; dayMs += DAY_MS) {
    const span = { symbols: null, fromMs: dayMs, toMs: dayMs + DAY_MS };
    await inTransaction(pool, async (client) => {
      await insertDays(client, toDays(await readTotals(client, span), await readHistograms(client, span)));
      await client.query('INSERT INTO folded_day (day_ms) VALUES ($1) ON CONFLICT DO NOTHING', [dayMs]);
    });
  }
}

async function forgetMinutes(pool: Pool, nowMs: number): Promise<void> {
  const beforeMs = Math.min(dayOf(nowMs - FIGURES_KEPT_MS), await readFoldedTo(pool));
  for (const table of ['packet_minute', 'gateway_minute']) {
    let deleted: number | null;
    do {
      const text = `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE minute_ms < $1 LIMIT $2)`;
      ({ rowCount: deleted } = await pool.query(text, [beforeMs, BATCH_ROWS]));
    } while (deleted === BATCH_ROWS);
  }
}
