import { channelOf, encodeEvent, type EventHead, type MarketEvent, type TradeEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import { flagRows } from '../src/recorder/commit-batch';
import { FIRST_ROW_STATE } from '../src/store/row-state';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Ordinals of duplicates: same channel, pass, venue id and exchange time. */
function repeatsIn(events: readonly MarketEvent[]): Set<number> {
  const seen = new Set<string>();
  return new Set(
    events.flatMap((event) => {
      const identity = JSON.stringify([channelOf(event), event.pass, event.venueId, event.exchangeTsMs]);
      if (event.venueId !== '' && seen.has(identity)) return event.ordinal;
      seen.add(identity);
      return [];
    }),
  );
}

/** Expected rows, computed over the whole log. */
function rowsOf(events: readonly MarketEvent[]): unknown[] {
  const repeats = repeatsIn(events);
  const { flags } = flagRows(FIRST_ROW_STATE, events as EventHead[], repeats);
  return events.map((event, index) => ({
    ordinal: String(event.ordinal),
    epoch: event.epoch,
    channel: channelOf(event),
    pass: event.pass,
    venue_id: event.venueId === '' || repeats.has(event.ordinal) ? null : event.venueId,
    exchange_ts_ms: String(event.exchangeTsMs),
    received_ts_ms: String(event.receivedTsMs),
    flags: flags[index],
    payload: Buffer.from(encodeEvent(event)).toString('hex'),
    price: event.kind === 'trade' ? event.price : null,
    size: event.kind === 'trade' ? event.size : null,
    venue_size: event.kind === 'trade' ? (event.venueSize ?? null) : null,
    aggressor_side: event.kind === 'trade' ? event.aggressorSide : null,
  }));
}

function hoursOf(events: readonly MarketEvent[]): unknown[] {
  const repeats = repeatsIn(events);
  const groups = grouped(events, (event) => `${channelOf(event)} ${Math.floor(event.receivedTsMs / HOUR_MS) * HOUR_MS}`);
  return [...groups].map(([key, rows]) => ({
    key,
    row_total: String(rows.filter(({ ordinal }) => !repeats.has(ordinal)).length),
    duplicate_total: String(rows.filter(({ ordinal }) => repeats.has(ordinal)).length),
    payload_bytes: String(rows.reduce((sum, event) => sum + encodeEvent(event).byteLength, 0)),
    first_ordinal: String(rows[0]?.ordinal),
    last_ordinal: String(rows.at(-1)?.ordinal),
    min_exchange_ms: String(Math.min(...rows.map(({ exchangeTsMs }) => exchangeTsMs))),
    max_exchange_ms: String(Math.max(...rows.map(({ exchangeTsMs }) => exchangeTsMs))),
  }));
}

/** Trades and contracts per minute: integer sums, without decimal arithmetic. */
function minutesOf(events: readonly MarketEvent[]): unknown[] {
  const repeats = repeatsIn(events);
  const trades = events.filter((event): event is TradeEvent => event.kind === 'trade' && !repeats.has(event.ordinal));
  const groups = grouped(trades, ({ exchangeTsMs }) => Math.floor(exchangeTsMs / MINUTE_MS) * MINUTE_MS);
  return [...groups].map(([openMs, of]) => ({
    open_ms: String(openMs),
    trade_total: String(of.length),
    notional: String(of.reduce((sum, { venueSize }) => sum + 100 * Number(venueSize), 0)),
    high: String(Math.max(...of.map(({ price }) => Number(price)))),
    low: String(Math.min(...of.map(({ price }) => Number(price)))),
  }));
}

function grouped<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? [];
    groups.set(keyOf(item), group);
    group.push(item);
  }
  return groups;
}

function byText(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** Contract value assumed by `expectTrueRecord`. */
export async function serveInstrument(pool: Pool, symbol: string): Promise<void> {
  await pool.query(`INSERT INTO served_instrument VALUES ($1, 'recording', 'binance-coinm', 'BTCUSD_PERP', 100, 'recorded')`, [symbol]);
}

/** Checks rows, flags, hour counts and minute candles against the whole log. */
export async function expectTrueRecord(pool: Pool, symbol: string, events: readonly MarketEvent[]): Promise<void> {
  const rows = await pool.query(
    `SELECT ordinal, epoch, channel, pass, venue_id, exchange_ts_ms, received_ts_ms, flags, encode(payload, 'hex') AS payload, price,
      size, venue_size, aggressor_side
     FROM log_entry WHERE symbol = $1 ORDER BY ordinal`,
    [symbol],
  );
  expect(rows.rows).toEqual(rowsOf(events));
  const hours = await pool.query(
    `SELECT channel || ' ' || hour_ms AS key, row_total, duplicate_total, payload_bytes, first_ordinal, last_ordinal, min_exchange_ms,
      max_exchange_ms
     FROM channel_hour WHERE symbol = $1`,
    [symbol],
  );
  expect(byText(hours.rows)).toEqual(byText(hoursOf(events)));
  const minutes = await pool.query(
    'SELECT open_ms, trade_total, trim_scale(notional)::text AS notional, trim_scale(high)::text AS high, trim_scale(low)::text AS low FROM candle_minute WHERE symbol = $1',
    [symbol],
  );
  expect(byText(minutes.rows)).toEqual(byText(minutesOf(events)));
}
