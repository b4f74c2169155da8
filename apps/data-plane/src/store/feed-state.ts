import { runTogether } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { FeedName, SourceKind } from '@market-state/market-data';
import { createPool, inTransaction, run } from '@market-state/postgres';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { FeedState, FeedStateStore, Opening, Progress } from '../feed/feed-state';
import type { Anchor } from '../feed/clock';
import type { FeedState as FeedStateTable } from './generated/tables';
import { tables } from './tables';
import type { LeaseStore } from '../feed/leases';

/** Timeout for connecting and per statement: a later response proves nothing about the lease. */
const ANSWER_MS = 1_500;

interface PostgresLeaseStore extends LeaseStore {
  close(): Promise<void>;
}

/** Uses only the database's clock, so that feed clocks need not agree. Takes no locks on leases held by others. */
const TAKE = `
WITH wanted AS (
  SELECT symbol, above FROM unnest($1::text[], $4::bigint[]) AS asked (symbol, above)
  WHERE NOT EXISTS (
    SELECT FROM feed_lease AS lease
    WHERE lease.symbol = asked.symbol AND lease.holder IS NOT NULL
      AND lease.renewed_at >= clock_timestamp() - $3 * interval '1 millisecond'
  )
)
INSERT INTO feed_lease AS lease (symbol, fence, holder, renewed_at)
SELECT symbol, above + 1, $2, clock_timestamp() FROM wanted ORDER BY symbol
ON CONFLICT (symbol) DO UPDATE SET fence = greatest(lease.fence + 1, excluded.fence), holder = excluded.holder, renewed_at = clock_timestamp()
WHERE lease.holder IS NULL OR lease.renewed_at < clock_timestamp() - $3 * interval '1 millisecond'
RETURNING symbol, fence::int8::text AS fence`;

/** Locks in order: the progress of many symbols is saved under their leases at the same time. */
const RENEW = `
WITH ours AS (
  SELECT symbol FROM feed_lease WHERE holder = $1 AND (symbol, fence) IN (SELECT * FROM unnest($2::text[], $3::bigint[]))
  ORDER BY symbol FOR NO KEY UPDATE
)
UPDATE feed_lease SET renewed_at = clock_timestamp() FROM ours WHERE feed_lease.symbol = ours.symbol
RETURNING feed_lease.symbol`;

const INHERIT = `UPDATE feed_lease SET holder = NULL WHERE symbol = ANY ($1) AND holder = $2 RETURNING symbol`;

const RELEASE = `UPDATE feed_lease SET holder = NULL WHERE symbol = $1 AND holder = $2 AND fence = $3`;

export function createLeaseStore(databaseUrl: string, logger: Logger): PostgresLeaseStore {
  const pool = createPool({
    url: databaseUrl,
    logger,
    applicationName: 'data-plane-feed-lease',
    max: 2,
    connectTimeoutMs: ANSWER_MS,
    statementTimeoutMs: ANSWER_MS,
  });
  return {
    async take(above, { holder, leaseMs }) {
      const { rows } = await pool.query<{ symbol: string; fence: string }>(TAKE, [[...above.keys()], holder, leaseMs, [...above.values()]]);
      return new Map(rows.map(({ symbol, fence }) => [symbol, Number(fence)]));
    },
    async inherit(symbols, holder) {
      const { rows } = await pool.query<{ symbol: string }>(INHERIT, [symbols, holder]);
      return new Set(rows.map(({ symbol }) => symbol));
    },
    async renew(held, holder) {
      const { rows } = await pool.query<{ symbol: string }>(RENEW, [holder, [...held.keys()], [...held.values()]]);
      return new Set(rows.map(({ symbol }) => symbol));
    },
    async release(symbol, fence, holder) {
      await pool.query(RELEASE, [symbol, holder, fence]);
    },
    close: () => pool.end(),
  };
}

type Columns = Insertable<FeedStateTable>;

type ProgressRow = ReturnType<typeof toProgressColumns> & { readonly symbol: string; readonly fence: number };

/** Locks the leases: they cannot be taken before the write commits. */
const SAVE_PROGRESS = `
  WITH asked AS (
    SELECT * FROM jsonb_to_recordset($1) AS asked (symbol text, fence bigint, last_ordinal bigint, last_feed_clock_ms bigint,
      safe_exchange_ts_ms bigint, reserved_ordinal bigint, reserved_feed_clock_ms bigint)
  ), held AS (
    SELECT symbol, fence FROM feed_lease WHERE (symbol, fence) IN (SELECT symbol, fence FROM asked) ORDER BY symbol FOR SHARE
  )
  UPDATE feed_state SET last_ordinal = asked.last_ordinal, last_feed_clock_ms = asked.last_feed_clock_ms,
    safe_exchange_ts_ms = asked.safe_exchange_ts_ms, reserved_ordinal = asked.reserved_ordinal,
    reserved_feed_clock_ms = asked.reserved_feed_clock_ms, updated_at = now()
  FROM asked JOIN held USING (symbol, fence) WHERE feed_state.symbol = asked.symbol
  RETURNING asked.symbol, asked.fence`;

function notHeld(symbol: string, fence: number): Error {
  return new Error(`feed_state has no row for ${symbol} under fence ${fence}`);
}

const NOW = sql<Date>`now()`;

export interface ReportedInstrument {
  readonly symbol: string;
  readonly feed: FeedName;
  readonly venue: string;
  readonly venueInstrument: string;
  readonly contractValue?: string;
  readonly sourceKind: SourceKind;
}

export interface PostgresFeedStateStore extends FeedStateStore {
  /** The instruments published so far. */
  reportedInstruments(): Promise<readonly Pick<ReportedInstrument, 'symbol' | 'feed' | 'venue'>[]>;
  /** Publishes the played instruments; earlier ones not listed remain. */
  reportInstruments(instruments: readonly ReportedInstrument[]): Promise<void>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function createFeedStateStore(databaseUrl: string, logger: Logger): PostgresFeedStateStore {
  const pool = createPool({ url: databaseUrl, logger, applicationName: 'data-plane-feed', max: 3 });
  const update = async (symbol: string, fence: number, columns: Partial<Columns>): Promise<void> => {
    const { rowCount } = await run(
      pool,
      tables
        .with('held', () => leaseOf(symbol, fence))
        .updateTable('feed_state')
        .set({ ...columns, updated_at: NOW })
        .where('symbol', '=', symbol)
        .where(({ exists, selectFrom }) => exists(selectFrom('held').select('held.symbol'))),
    );
    if (rowCount === 0) throw notHeld(symbol, fence);
  };
  const saveProgress = runTogether(async (saves: readonly ProgressRow[]) => {
    const { rows } = await pool.query<{ symbol: string; fence: string }>({
      name: 'save-progress',
      text: SAVE_PROGRESS,
      values: [JSON.stringify(saves)],
    });
    const saved = new Set(rows.map(({ symbol, fence }) => `${fence} ${symbol}`));
    return saves.map(({ symbol, fence }) => (saved.has(`${fence} ${symbol}`) ? undefined : Promise.reject(notHeld(symbol, fence))));
  });
  return {
    async read(symbol) {
      const { rows } = await run(pool, tables.selectFrom('feed_state').selectAll().where('symbol', '=', symbol));
      return rows[0] === undefined ? undefined : fromRow(rows[0]);
    },
    async begin(state, fence) {
      const columns = toColumns(state);
      await inTransaction(pool, async (client) => {
        const { rowCount } = await run(client, leaseOf(state.symbol, fence));
        if (rowCount === 0) throw new Error(`the log of ${state.symbol} is no longer written under fence ${fence}`);
        await run(
          client,
          tables
            .insertInto('feed_state')
            .values(columns)
            .onConflict((conflict) => conflict.column('symbol').doUpdateSet({ ...columns, updated_at: NOW })),
        );
      });
    },
    saveProgress: (symbol, fence, progress) => saveProgress({ symbol, fence, ...toProgressColumns(progress) }),
    saveAnchor: (symbol, fence, anchor) => update(symbol, fence, toAnchorColumns(anchor)),
    async reportedInstruments() {
      const { rows } = await run(pool, tables.selectFrom('served_instrument').select(['symbol', 'feed', 'venue']));
      return rows;
    },
    async reportInstruments(instruments) {
      await inTransaction(pool, async (client) => {
        for (const { symbol, feed, venue, venueInstrument, contractValue, sourceKind } of instruments) {
          const values = {
            feed,
            venue,
            venue_instrument: venueInstrument,
            contract_value: contractValue ?? null,
            source_kind: sourceKind,
          };
          await run(
            client,
            tables
              .insertInto('served_instrument')
              .values({ symbol, ...values })
              .onConflict((conflict) => conflict.column('symbol').doUpdateSet(values)),
          );
        }
      });
    },
    async ping() {
      await run(pool, tables.selectFrom('feed_state').select('symbol').limit(1));
    },
    close: () => pool.end(),
  };
}

/** Locks the lease under that fence: it cannot be taken before the write commits. */
function leaseOf(symbol: string, fence: number) {
  return tables.selectFrom('feed_lease').select('symbol').where('symbol', '=', symbol).where('fence', '=', String(fence)).forShare();
}

function toColumns(state: FeedState): Columns {
  const { symbol, epoch, pass, shiftMs, passFirstOrdinal, opening, openingStartMs, recording, progress, anchor } = state;
  return {
    symbol,
    epoch,
    pass,
    shift_ms: String(shiftMs),
    pass_first_ordinal: String(passFirstOrdinal),
    opening,
    opening_start_ms: String(openingStartMs),
    recording,
    ...toProgressColumns(progress),
    ...toAnchorColumns(anchor),
  };
}

function toProgressColumns(progress: Progress) {
  return {
    last_ordinal: String(progress.lastOrdinal),
    last_feed_clock_ms: String(progress.lastFeedClockMs),
    safe_exchange_ts_ms: String(progress.safeExchangeTsMs),
    reserved_ordinal: String(progress.reservedOrdinal),
    reserved_feed_clock_ms: String(progress.reservedFeedClockMs),
  };
}

function toAnchorColumns(anchor: Anchor | undefined) {
  if (anchor === undefined) return { anchor_wall_ms: null, anchor_feed_ms: null, anchor_speed: null };
  return { anchor_wall_ms: String(anchor.wallMs), anchor_feed_ms: String(anchor.feedMs), anchor_speed: anchor.speed };
}

function fromRow(row: Selectable<FeedStateTable>): FeedState {
  return {
    symbol: row.symbol,
    epoch: row.epoch,
    pass: row.pass,
    shiftMs: Number(row.shift_ms),
    passFirstOrdinal: Number(row.pass_first_ordinal),
    opening: toOpening(row.opening),
    openingStartMs: Number(row.opening_start_ms),
    recording: row.recording,
    progress: {
      lastOrdinal: Number(row.last_ordinal),
      lastFeedClockMs: Number(row.last_feed_clock_ms),
      safeExchangeTsMs: Number(row.safe_exchange_ts_ms),
      reservedOrdinal: Number(row.reserved_ordinal),
      reservedFeedClockMs: Number(row.reserved_feed_clock_ms),
    },
    anchor: toAnchor(row),
  };
}

function toOpening(text: string): Opening {
  switch (text) {
    case 'first':
    case 'seam':
    case 'log_lost':
    case 'feed_down':
      return text;
    default:
      throw new Error(`feed_state contains an unknown opening: ${JSON.stringify(text)}`);
  }
}

function toAnchor({ anchor_wall_ms: wallMs, anchor_feed_ms: feedMs, anchor_speed: speed }: Selectable<FeedStateTable>): Anchor | undefined {
  if (wallMs === null || feedMs === null || speed === null) return undefined;
  return { wallMs: Number(wallMs), feedMs: Number(feedMs), speed };
}
