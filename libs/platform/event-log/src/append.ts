import { backoffMs, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { isRefusal, leaveIfSilent, whenReady } from '@market-state/redis';
import {
  compareEntryIds,
  type EntryId,
  fenceKey,
  firstId,
  formatEntryId,
  lastId,
  type LogEntry,
  parseEntryId,
  readEntries,
  streamKey,
} from './entries';
import { EventLogError } from './event-log-error';
import type { LogRedis } from './log-redis';
import { createTail, type Tail, type TailLimits } from './tail';

/** Appends batches to streams and keeps, per symbol, what was acknowledged last. */
export interface Appender {
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
  /** See `EventLog.restore`. */
  restore(symbol: string, afterId: EntryId): Promise<number>;
  /** Another writer may have appended since: nothing is known of the stream any more. */
  forget(symbol: string): void;
}

export interface AppenderDeps {
  readonly redis: LogRedis;
  readonly logger: Logger;
  /** Ends every append that waits. */
  readonly closed: AbortSignal;
  /** The fence under which a symbol is written; 0 where none was claimed. */
  readonly fenceOf: (symbol: string) => number;
  /** Told of each tail repair: how many entries were appended again. */
  readonly onRepaired: (symbol: string, entries: number) => void;
  /** Replaced by tests. */
  readonly tailLimits?: TailLimits;
}

/** Memory of all tails together, bytes. */
const TAILS_BYTES_MAX = 64 * 1_048_576;
/** Entries that one script appends when a tail is repaired: longer would keep others from the node. */
const REPAIR_BATCH = 500;

/** What is known of a stream. */
interface Written {
  /** The newest entry that was seen in it. */
  last: EntryId;
  /** What came before, up to `last`. */
  tail: Tail;
}

/**
 * One batch is one script, which appends only behind the entry that is expected to be the newest, so that it writes all or nothing however
 * often it is sent and to whichever node. Where another entry is the newest, what is there is compared: entries of the batch are left out.
 * A newest entry that is older than before means that the store lost entries, as at a failover. Those that the tail holds are appended
 * again under their own ids; where it does not reach that far back, or the stream is gone, only a new epoch may begin it again.
 */
export function createAppender({ redis, logger, closed, fenceOf, onRepaired, tailLimits }: AppenderDeps): Appender {
  const streams = new Map<string, Written>();
  const newTail = (before: EntryId | undefined): Tail => createTail(before, () => performance.now(), tailLimits);

  function lostSince(symbol: string, { last }: Written, found: EntryId | undefined): EventLogError {
    return new EventLogError(
      'lost',
      `the log of ${symbol} ends at ${found ? formatEntryId(found) : 'nothing'}, not at ${formatEntryId(last)}`,
    );
  }

  /** Gives back undefined when the entries were appended, else the newest entry that was found. */
  async function appendAfter(
    symbol: string,
    expected: EntryId | undefined,
    entries: readonly LogEntry[],
  ): Promise<{ found?: EntryId } | undefined> {
    const idsAndPayloads = entries.flatMap((entry) => [formatEntryId(entry), asBuffer(entry.payload)]);
    const newest = expected === undefined ? '' : formatEntryId(expected);
    const found = await redis.appendAfter(streamKey(symbol), fenceKey(symbol), fenceOf(symbol), newest, idsAndPayloads);
    if (found === null) return undefined;
    return found === '' ? {} : { found: parseEntryId(found) };
  }

  /** Entries that follow `before` are in the stream now. */
  function remember(symbol: string, before: EntryId | undefined, entries: readonly LogEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    let known = streams.get(symbol);
    if (known === undefined || before === undefined || compareEntryIds(known.last, before) !== 0) {
      known = { last, tail: newTail(before) };
      streams.set(symbol, known);
    }
    known.last = { epoch: last.epoch, ordinal: last.ordinal };
    known.tail.push(entries, TAILS_BYTES_MAX / streams.size);
  }

  /** Appends what the tail holds behind the entry that was found to be the newest. */
  async function appendPieces(symbol: string, found: EntryId | undefined, entries: readonly LogEntry[]): Promise<void> {
    let before = found;
    for (let from = 0; from < entries.length; from += REPAIR_BATCH) {
      const piece = entries.slice(from, from + REPAIR_BATCH);
      const other = await appendAfter(symbol, before, piece);
      if (other !== undefined) throw new Error('the log changed while its tail was appended again');
      before = piece.at(-1) ?? before;
    }
  }

  async function repair(symbol: string, known: Written, found: EntryId | undefined): Promise<void> {
    const held = found === undefined ? undefined : known.tail.since(found);
    if (found === undefined || held === undefined) throw lostSince(symbol, known, found);
    if (held.payload !== undefined) await assertSame(symbol, [{ ...found, payload: held.payload }]);
    await appendPieces(symbol, found, held.entries).catch((error: unknown) => {
      throw isRefusal(error) && isBehindItsEnd(error) ? lostSince(symbol, known, found) : error;
    });
    logger.warn({ symbol, end: formatEntryId(found), entries: held.entries.length }, 'the log had lost its newest entries: appended again');
    onRepaired(symbol, held.entries.length);
  }

  /** What of the entries is not in a stream whose newest entry was found to be this one; repairs the stream first where it must. */
  async function pendingAfter(
    symbol: string,
    found: EntryId | undefined,
    entries: readonly [LogEntry, ...LogEntry[]],
  ): Promise<{ readonly newest: EntryId | undefined; readonly pending: readonly LogEntry[] }> {
    const known = streams.get(symbol);
    let newest = found;
    if (known !== undefined && (found === undefined || compareEntryIds(found, known.last) < 0)) {
      if (entries[0].epoch > known.last.epoch) streams.delete(symbol);
      else {
        await repair(symbol, known, found);
        newest = known.last;
      }
    }
    const end = newest;
    if (end === undefined) return { newest, pending: entries };
    const there = entries.filter((entry) => compareEntryIds(entry, end) <= 0);
    if (there.length > 0) {
      await assertSame(symbol, there);
      rememberThere(symbol, end, there);
    }
    return { newest, pending: entries.slice(there.length) };
  }

  /** Entries whose acknowledgement was lost, or that another process appended as well. */
  function rememberThere(symbol: string, end: EntryId, there: readonly LogEntry[]): void {
    const known = streams.get(symbol);
    if (known !== undefined && compareEntryIds(end, known.last) === 0) return;
    const unknown = known === undefined ? [] : there.filter((entry) => compareEntryIds(entry, known.last) > 0);
    const last = unknown.at(-1);
    if (known !== undefined && last !== undefined && compareEntryIds(last, end) === 0) remember(symbol, known.last, unknown);
    else streams.set(symbol, { last: end, tail: newTail(end) });
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

  async function write(symbol: string, entries: readonly [LogEntry, ...LogEntry[]]): Promise<void> {
    const known = streams.get(symbol)?.last;
    const isNext = known !== undefined && compareEntryIds(known, entries[0]) < 0;
    let { newest, pending } = isNext
      ? { newest: known, pending: entries as readonly LogEntry[] }
      : await pendingAfter(symbol, await lastId(redis, symbol), entries);
    while (pending.length > 0) {
      const other = await appendAfter(symbol, newest, pending);
      if (other === undefined) return remember(symbol, newest, pending);
      ({ newest, pending } = await pendingAfter(symbol, other.found, entries));
    }
  }

  return {
    forget: (symbol) => void streams.delete(symbol),
    async restore(symbol, afterId) {
      const entries = streams.get(symbol)?.tail.since(afterId)?.entries ?? [];
      if (entries.length === 0) return 0;
      const found = await lastId(redis, symbol);
      const missing = found === undefined ? entries : entries.filter((entry) => compareEntryIds(entry, found) > 0);
      await appendPieces(symbol, found, missing);
      return missing.length;
    },
    async append(symbol, entries, signal) {
      const [first, ...others] = entries;
      if (first === undefined) return;
      const stop = signal === undefined ? closed : AbortSignal.any([signal, closed]);
      for (let attempt = 0; ; attempt += 1) {
        signal?.throwIfAborted();
        if (closed.aborted) throw new EventLogError('closed', 'the event log was closed');
        try {
          await whenReady(redis, stop);
          await write(symbol, [first, ...others]);
          return;
        } catch (error) {
          if (closed.aborted) throw new EventLogError('closed', 'the event log was closed', error);
          signal?.throwIfAborted();
          if (error instanceof EventLogError) throw error;
          if (isRefusal(error)) throwUnlessTemporary(symbol, error);
          logger.warn({ symbol, attempt, err: error }, 'append is tried again');
          leaveIfSilent(redis, error);
          await delay(backoffMs(attempt, { minMs: 20, maxMs: 1_000 }), stop).catch(() => undefined);
        }
      }
    },
  };
}

function throwUnlessTemporary(symbol: string, error: Error): void {
  const told = refusalOf(symbol, error);
  if (told !== undefined) throw told;
  if (isBehindItsEnd(error)) throw new EventLogError('conflict', `the log of ${symbol} refused an entry`, error);
  // A store that is starting, changing roles or moving slots.
  if (!says(error, 'LOADING|MASTERDOWN|TRYAGAIN|CLUSTERDOWN|BUSY|READONLY|MOVED|ASK')) throw error;
}

/** What a writer is told when the store refuses it for what it is, or for want of memory; undefined for anything else. */
export function refusalOf(symbol: string, error: unknown): EventLogError | undefined {
  if (!isRefusal(error)) return undefined;
  if (says(error, 'FENCED')) return new EventLogError('fenced', `another writer has taken over the log of ${symbol}`, error);
  return says(error, 'OOM') ? new EventLogError('full', 'the event log has no memory left', error) : undefined;
}

/** Whether a reply has one of these codes, its own or, before Redis 7, that of a command in its script. */
function says(error: Error, codes: string): boolean {
  return new RegExp(`(?:^|-)(?:${codes})\\b`).test(error.message);
}

/** Ids up to that of the newest entry that ever was can't be given again. */
function isBehindItsEnd(error: Error): boolean {
  return error.message.includes('equal or smaller');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
