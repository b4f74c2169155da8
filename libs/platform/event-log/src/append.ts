import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Redis } from 'ioredis';
import { isReply, whenReady } from './connection';
import { type LogEntry, PAYLOAD_FIELD, readEntries, streamKey } from './entries';
import { compareEntryIds, type EntryId, formatEntryId } from './entry-id';
import { EventLogError } from './event-log-error';
import { firstId, lastId } from './reading';

/** Appends batches to streams and keeps, per symbol, what was acknowledged last. */
export interface Appender {
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
}

interface Progress {
  /** The newest entry known to be in the stream. */
  last: EntryId;
  /** The connection on which that was seen. */
  connection: number;
}

/**
 * One batch is one MULTI, so either all of it is written or nothing. After a lost reply, the next try, on a new connection, first reads
 * the newest entry of the stream: entries already there are compared and left out. If the newest entry is older than before, or the
 * stream is gone, the store lost entries: only a new epoch may begin it again.
 */
export function createAppender(redis: Redis, logger: Logger, closed: AbortSignal): Appender {
  const progress = new Map<string, Progress>();
  let connection = 0;
  redis.on('close', () => {
    connection += 1;
  });

  async function pendingOf(symbol: string, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
    const known = progress.get(symbol);
    const first = entries[0];
    if (first === undefined) return entries;
    if (known !== undefined && known.connection === connection && compareEntryIds(known.last, first) < 0) return entries;
    const seenOn = connection;
    const top = await lastId(redis, symbol);
    if (known !== undefined && (top === undefined || compareEntryIds(top, known.last) < 0) && first.epoch <= known.last.epoch) {
      throw new EventLogError(
        'lost',
        `the log of ${symbol} ends at ${top ? formatEntryId(top) : 'nothing'}, not at ${formatEntryId(known.last)}`,
      );
    }
    if (top === undefined) return entries;
    progress.set(symbol, { last: top, connection: seenOn });
    const there = entries.filter((entry) => compareEntryIds(entry, top) <= 0);
    if (there.length > 0) await assertSame(symbol, there);
    return entries.slice(there.length);
  }

  async function assertSame(symbol: string, expected: readonly LogEntry[]): Promise<void> {
    const from = expected[0];
    const to = expected.at(-1);
    const oldest = await firstId(redis, symbol);
    if (from === undefined || to === undefined || oldest === undefined) return;
    const stored = readEntries(await redis.xrangeBuffer(streamKey(symbol), formatEntryId(from), formatEntryId(to)));
    const byId = new Map(stored.map((entry) => [formatEntryId(entry), entry.payload]));
    for (const entry of expected) {
      if (compareEntryIds(entry, oldest) < 0) continue;
      const payload = byId.get(formatEntryId(entry));
      if (payload === undefined || Buffer.compare(payload, entry.payload) !== 0) {
        throw new EventLogError('conflict', `the log of ${symbol} holds something else at ${formatEntryId(entry)}`);
      }
    }
  }

  async function write(symbol: string, entries: readonly LogEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    const writtenOn = connection;
    const batch = redis.multi();
    const key = streamKey(symbol);
    const known = progress.get(symbol)?.last;
    const isBegun = known?.epoch === last.epoch;
    for (const entry of entries) {
      const [id, payload] = [formatEntryId(entry), asBuffer(entry.payload)];
      if (isBegun) batch.xadd(key, 'NOMKSTREAM', id, PAYLOAD_FIELD, payload);
      else batch.xadd(key, id, PAYLOAD_FIELD, payload);
    }
    const results = await batch.exec();
    if (results === null) throw new Error('the batch was discarded');
    for (const [error, id] of results) {
      if (error !== null) throw new EventLogError('conflict', `the log of ${symbol} refused an entry`, error);
      if (id === null)
        throw new EventLogError('lost', `the log of ${symbol} is gone; it ended at ${known ? formatEntryId(known) : 'nothing'}`);
    }
    progress.set(symbol, { last, connection: writtenOn });
  }

  return {
    async append(symbol, entries, signal) {
      const stop = signal === undefined ? closed : AbortSignal.any([signal, closed]);
      for (let attempt = 0; ; attempt += 1) {
        signal?.throwIfAborted();
        if (closed.aborted) throw new EventLogError('closed', 'the event log was closed');
        try {
          await whenReady(redis, stop);
          await write(symbol, await pendingOf(symbol, entries));
          return;
        } catch (error) {
          if (closed.aborted) throw new EventLogError('closed', 'the event log was closed', error);
          signal?.throwIfAborted();
          if (error instanceof EventLogError) throw error;
          if (isReply(error) && isOutOfMemory(error)) throw new EventLogError('full', 'the event log has no memory left', error);
          if (isReply(error) && !isTemporary(error)) throw error;
          logger.warn({ symbol, attempt, err: error }, 'append is tried again');
          await delay(backoffMs(attempt, { minMs: 20, maxMs: 1_000 }), stop).catch(() => undefined);
        }
      }
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isOutOfMemory(error: Error & { previousErrors?: readonly Error[] }): boolean {
  return [error, ...(error.previousErrors ?? [])].some((each) => each.message.startsWith('OOM'));
}

/** Replies of a store that is starting or changing roles. */
function isTemporary(error: Error): boolean {
  return /^(LOADING|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|BUSY|READONLY)/.test(error.message);
}
