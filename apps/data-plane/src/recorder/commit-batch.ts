import { compareEntryIds, type EntryId } from '@market-state/event-log';
import type { FeedStatusEvent } from '@market-state/market-data';
import { copyText, inTransaction } from '@market-state/postgres';
import type { Pool, PoolClient } from 'pg';
import { writeConnection } from '../store/feed-connection';
import { endGaps, writeGaps } from '../store/gaps';
import { movePosition, RECORDER } from '../store/positions';
import { type GapRow, ledgerChanges } from './gap-ledger';
import { findJumps, gapOfJump } from './missing-entries';
import type { Partitions } from './partitions';
import { type Batch, LOG_ENTRY, type RecordedEntry } from '../store/log-entry-row';

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

/** Someone else has moved the position meanwhile, or an earlier commit of ours was done though its answer was lost. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

/**
 * Writes what a batch of one symbol has after `position`: rows, gap ledger and new position in one transaction. It commits
 * only when the stored position still stands at `position`, so nothing is written twice.
 * @throws {PositionMovedError} when it stands elsewhere: read it and try again
 */
export async function commitBatch({ pool, partitions }: CommitDeps, symbol: string, batch: Batch, position: EntryId): Promise<Committed> {
  const fresh = batch.entries.filter(({ entry }) => compareEntryIds(entry, position) > 0);
  const [first] = fresh;
  const last = fresh.at(-1);
  if (first === undefined || last === undefined) return { rows: 0, position };
  const newPosition = { epoch: last.entry.epoch, ordinal: last.entry.ordinal };
  await partitions.ensure(fresh.map(({ event }) => event.exchangeTsMs));
  return inTransaction(pool, async (client) => {
    const missing = await gapsOfJumps(client, symbol, position, fresh);
    const rows = await copyText(client, LOG_ENTRY, batch.text.subarray(first.rowStart));
    const { gaps, ends } = ledgerChanges(fresh);
    await writeGaps(client, [...missing, ...gaps]);
    await endGaps(client, ends);
    const connected = newestConnected(fresh);
    if (connected !== undefined) await writeConnection(client, connected);
    if (!(await movePosition(client, RECORDER, symbol, position, newPosition))) throw new PositionMovedError('the stored position has moved');
    return { rows, position: newPosition };
  });
}

function newestConnected(entries: readonly RecordedEntry[]): FeedStatusEvent | undefined {
  const found = entries.findLast(({ event }) => event.kind === 'feed_status' && event.status.type === 'connected')?.event;
  return found?.kind === 'feed_status' ? found : undefined;
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
