import { compareEntryIds, type EntryId } from '@market-state/event-log';
import type { FeedStatusEvent } from '@market-state/market-data';
import { copyRows, inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { writeConnection } from '../store/feed-connection';
import { endGaps, writeGaps } from '../store/gaps';
import { lockPosition, RECORDER, writePosition } from '../store/positions';
import { type GapRow, ledgerChanges } from './gap-ledger';
import { findJumps, gapOfJump } from './missing-entries';
import type { Partitions } from './partitions';
import { LOG_ENTRY, type RecordedEntry, toRow } from './row';

export interface CommitDeps {
  readonly pool: Pool;
  readonly partitions: Partitions;
}

/** What a commit wrote. */
export interface Committed {
  /** Rows written now; entries that were committed before are not among them. */
  readonly rows: number;
  readonly position: EntryId;
}

/**
 * Writes a batch of one symbol: rows, gap ledger and position in one transaction. The stored position, locked first,
 * decides what is new, so a batch whose commit was not answered, or that another recorder wrote, is not written twice.
 */
export async function commitBatch({ pool, partitions }: CommitDeps, symbol: string, batch: readonly RecordedEntry[]): Promise<Committed> {
  await partitions.ensure(batch.map(({ event }) => event.exchangeTsMs));
  return inTransaction(pool, async (client) => {
    const stored = await lockPosition(client, RECORDER, symbol);
    const fresh = batch.filter(({ entry }) => compareEntryIds(entry, stored) > 0);
    const last = fresh.at(-1);
    if (last === undefined) return { rows: 0, position: stored };

    const missing = await gapsOfJumps(client, symbol, stored, fresh);
    const rows = await copyRows(client, LOG_ENTRY, mapRows(fresh));
    const { gaps, ends } = ledgerChanges(fresh);
    await writeGaps(client, [...missing, ...gaps]);
    await endGaps(client, ends);
    const connected = fresh.map(({ event }) => event).findLast((event): event is FeedStatusEvent => event.kind === 'feed_status' && event.status.type === 'connected');
    if (connected !== undefined) await writeConnection(client, connected);
    const position = { epoch: last.entry.epoch, ordinal: last.entry.ordinal };
    await writePosition(client, RECORDER, symbol, position);
    return { rows, position };
  });
}

function* mapRows(batch: readonly RecordedEntry[]) {
  for (const recorded of batch) yield toRow(recorded);
}

async function gapsOfJumps(client: PoolClient, symbol: string, stored: EntryId, fresh: readonly RecordedEntry[]): Promise<GapRow[]> {
  const jumps = findJumps(stored, fresh);
  if (jumps.length === 0) return [];
  const storedLastMs = await lastExchangeTsMs(client, symbol, stored.ordinal);
  return jumps.flatMap((jump) => {
    const inBatch = fresh.filter(({ entry, event }) => entry.ordinal <= jump.before.ordinal && event.kind !== 'tick').map(({ event }) => event.exchangeTsMs);
    return gapOfJump(jump, Math.max(storedLastMs, ...inBatch)) ?? [];
  });
}

/** Exchange time up to which the rows are whole: of the newest book or trade, at most that of the last row. */
async function lastExchangeTsMs(client: PoolClient, symbol: string, ordinal: number): Promise<number> {
  const { rows } = await client.query<{ last_ms: string | null }>(
    `SELECT least(
       (SELECT exchange_ts_ms FROM log_entry WHERE symbol = $1 AND ordinal = $2),
       greatest(
         (SELECT max(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'book'),
         (SELECT max(exchange_ts_ms) FROM log_entry WHERE symbol = $1 AND channel = 'trade'))) AS last_ms`,
    [symbol, ordinal],
  );
  return Number(rows[0]?.last_ms ?? 0);
}
