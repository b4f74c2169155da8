import { decodeEvent, type MarketEvent, ROW_FLAG, HOUR_MS } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { GapRow } from '../recorder/gap-ledger';
import { listGapsOfDay } from './gaps';
import { readConnection } from './row-state';
import { readRecorded } from './recorded';
import { reading } from './store-failure';

/** Enough for a venue that sends context values one by one. */
const CONTEXT_ROWS = 500;
const LIQUIDATION_ROWS = 100_000;

export interface RecentMarket {
  /** Newest `connected` and context entries, and liquidations of the last hour, in log order. */
  readonly events: readonly MarketEvent[];
  readonly gaps: readonly GapRow[];
  readonly recordedOrdinal: number;
}

/** Rejects as `storeFailure`. */
export async function readRecentMarket(pool: Pool, symbol: string): Promise<RecentMarket> {
  const { ordinal, clockMs = 0 } = await readRecorded(pool, symbol);
  const connection = await readConnection(pool, symbol);
  const context = await readEvents(
    pool,
    `SELECT payload FROM log_entry WHERE symbol = $1 AND channel = 'context' AND flags & ${ROW_FLAG.duplicate} = 0
      ORDER BY exchange_ts_ms DESC LIMIT $2`,
    [symbol, CONTEXT_ROWS],
  );
  const liquidations = await readEvents(
    pool,
    `SELECT payload FROM log_entry WHERE symbol = $1 AND channel = 'liquidation' AND flags & ${ROW_FLAG.duplicate} = 0
      AND exchange_ts_ms > $2 ORDER BY exchange_ts_ms DESC LIMIT $3`,
    [symbol, clockMs - HOUR_MS, LIQUIDATION_ROWS],
  );
  const gaps = await listGapsOfDay(pool, symbol, clockMs);
  const events = [...(connection === undefined ? [] : [connection]), ...context, ...liquidations];
  return { events: events.sort((a, b) => a.ordinal - b.ordinal), gaps, recordedOrdinal: ordinal };
}

async function readEvents(pool: Pool, text: string, values: unknown[]): Promise<MarketEvent[]> {
  const { rows } = await reading(pool.query<{ payload: Buffer }>(text, values));
  return rows.map(({ payload }) => decodeEvent(payload));
}
