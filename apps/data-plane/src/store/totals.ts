import type { EntryId } from '@market-state/event-log';
import type { TradeCandle } from '@market-state/live-market';
import type { Channel } from '@market-state/market-data';
import type { PoolClient } from 'pg';
import { RECORDER } from './recorded';
import type { RowState } from './row-state';

const INTEGER = /^[0-9]+$/;

export interface TradePosition {
  readonly exchangeTsMs: number;
  readonly pass: number;
  readonly venueId: string;
}

/** Text whose byte order equals the order by exchange time, pass and venue id; integer ids sort first, by value. */
export function tradeKey({ exchangeTsMs, pass, venueId }: TradePosition): string {
  return `${String(exchangeTsMs).padStart(16, '0')}${String(pass).padStart(10, '0')}${idKey(venueId)}`;
}

function idKey(venueId: string): string {
  if (!INTEGER.test(venueId)) return `1${venueId}`;
  const value = venueId.replace(/^0+/, '');
  return `0${String(value.length).padStart(4, '0')}${value} ${venueId}`;
}

export interface HourChange {
  readonly channel: Channel;
  readonly hour_ms: number;
  readonly row_total: number;
  readonly duplicate_total: number;
  readonly payload_bytes: number;
  readonly first_ordinal: number;
  readonly last_ordinal: number;
  readonly min_exchange_ms: number;
  readonly max_exchange_ms: number;
}

export interface Totals {
  readonly hours: readonly HourChange[];
  readonly candles: readonly TradeCandle[];
}

// Notional of an inverse contract is contracts × contract value, which is exact; price × size would include the size's
// rounding.
const WRITE = `
  WITH batch AS (
    SELECT * FROM jsonb_to_recordset($1) AS batch
      (symbol text, from_epoch int, from_ordinal bigint, to_epoch int, to_ordinal bigint, state jsonb)
  ), moved AS (
    UPDATE consumer_position AS kept SET epoch = to_epoch, ordinal = to_ordinal FROM batch
    WHERE kept.consumer = $4 AND kept.symbol = batch.symbol AND kept.epoch = from_epoch AND kept.ordinal = from_ordinal RETURNING 1
  ), states AS (
    INSERT INTO row_state (symbol, state) SELECT symbol, state FROM batch ON CONFLICT (symbol) DO UPDATE SET state = excluded.state
  ), hours AS (
    INSERT INTO channel_hour AS kept
      (symbol, channel, hour_ms, row_total, duplicate_total, payload_bytes, first_ordinal, last_ordinal, min_exchange_ms, max_exchange_ms)
    SELECT * FROM jsonb_to_recordset($2) AS added
      (symbol text, channel text, hour_ms bigint, row_total bigint, duplicate_total bigint, payload_bytes bigint, first_ordinal bigint,
      last_ordinal bigint,
       min_exchange_ms bigint, max_exchange_ms bigint)
    ON CONFLICT (symbol, channel, hour_ms) DO UPDATE SET
      row_total = kept.row_total + excluded.row_total,
      duplicate_total = kept.duplicate_total + excluded.duplicate_total,
      payload_bytes = kept.payload_bytes + excluded.payload_bytes,
      last_ordinal = excluded.last_ordinal,
      min_exchange_ms = least(kept.min_exchange_ms, excluded.min_exchange_ms),
      max_exchange_ms = greatest(kept.max_exchange_ms, excluded.max_exchange_ms)
  ), candles AS (
    INSERT INTO candle_minute AS kept (symbol, open_ms, open, high, low, close, volume, notional, trade_total, open_key, close_key,
      last_received_ms)
    SELECT symbol, open_ms, open, high, low, close, volume,
      value + coalesce(contracts * (SELECT contract_value FROM served_instrument AS served WHERE served.symbol = added.symbol), contract_trades),
      trade_total, open_key, close_key, last_received_ms
    FROM jsonb_to_recordset($3) AS added
      (symbol text, open_ms bigint, open numeric, high numeric, low numeric, close numeric, volume numeric, value numeric, contracts numeric,
      contract_trades numeric,
       trade_total bigint, open_key text, close_key text, last_received_ms bigint)
    ON CONFLICT (symbol, open_ms) DO UPDATE SET
      open = CASE WHEN excluded.open_key COLLATE "C" < kept.open_key THEN excluded.open ELSE kept.open END,
      open_key = least(excluded.open_key COLLATE "C", kept.open_key),
      close = CASE WHEN excluded.close_key COLLATE "C" >= kept.close_key THEN excluded.close ELSE kept.close END,
      close_key = greatest(excluded.close_key COLLATE "C", kept.close_key),
      high = greatest(kept.high, excluded.high),
      low = least(kept.low, excluded.low),
      volume = kept.volume + excluded.volume,
      notional = kept.notional + excluded.notional,
      trade_total = kept.trade_total + excluded.trade_total,
      last_received_ms = greatest(kept.last_received_ms, excluded.last_received_ms)
  )
  SELECT FROM moved`;

export interface BatchEffects {
  readonly symbol: string;
  readonly totals: Totals;
  readonly state: RowState;
  readonly from: EntryId;
  readonly to: EntryId;
}

/**
 * Adds totals, stores the states and moves the recorder's positions within the open transaction.
 * @param batches one per symbol
 * @returns false if a position is no longer `from`; the transaction must then not commit
 */
export async function writeTotals(client: PoolClient, batches: readonly BatchEffects[]): Promise<boolean> {
  const positions = batches.map(({ symbol, from, to, state }) => ({
    symbol,
    from_epoch: from.epoch,
    from_ordinal: from.ordinal,
    to_epoch: to.epoch,
    to_ordinal: to.ordinal,
    state,
  }));
  const hours = batches.flatMap(({ symbol, totals }) => totals.hours.map((hour) => ({ symbol, ...hour })));
  const candles = batches.flatMap(({ symbol, totals }) => totals.candles.map((candle) => ({ symbol, ...toColumns(candle) })));
  const { rowCount } = await client.query({
    name: 'write-totals',
    text: WRITE,
    values: [JSON.stringify(positions), JSON.stringify(hours), JSON.stringify(candles), RECORDER],
  });
  return rowCount === batches.length;
}

function toColumns({ openMs, open, high, low, close, volume, value, contracts, contractTrades, ...candle }: TradeCandle) {
  return {
    open_ms: openMs,
    open: open.price,
    high: high.price,
    low: low.price,
    close: close.price,
    volume: volume.toString(),
    value: value.toString(),
    contracts: contracts.toString(),
    contract_trades: contractTrades.toString(),
    trade_total: candle.tradeTotal,
    open_key: tradeKey(open),
    close_key: tradeKey(close),
    last_received_ms: candle.lastReceivedMs,
  };
}

/** Exchange time up to which rows are complete: the newest data row, capped at the last row. */
export async function lastExchangeTsMs(client: PoolClient, symbol: string, ordinal: number): Promise<number> {
  const { rows } = await client.query<{ last_ms: string | null }>(
    `SELECT least(
       (SELECT exchange_ts_ms FROM log_entry WHERE symbol = $1 AND ordinal = $2),
       (SELECT max(max_exchange_ms) FROM channel_hour WHERE symbol = $1 AND channel <> 'control')) AS last_ms`,
    [symbol, ordinal],
  );
  return Number(rows[0]?.last_ms ?? 0);
}
