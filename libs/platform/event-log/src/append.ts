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
  EventLogError,
  type LogRedis,
} from './log-redis';

export interface Appender {
  append(symbol: string, entries: readonly LogEntry[], signal?: AbortSignal): Promise<void>;
  restore(symbol: string, afterId: EntryId): Promise<number>;
  /** Discards the cached tail: another writer may have appended since. */
  forget(symbol: string): void;
}

interface TailLimits {
  readonly entries: number;
  readonly ageMs: number;
}

const TAIL_LIMITS: TailLimits = { entries: 10_000, ageMs: 60_000 };

interface LeasedSince {
  /** Undefined if only the successors are cached. */
  readonly payload: Uint8Array | undefined;
  /** Oldest first. Payloads are valid until the next push. */
  readonly entries: readonly LogEntry[];
}

interface Tail {
  /** @param bytesMax memory limit; one piece (16 KiB or one larger payload) is always allowed */
  push(entries: readonly LogEntry[], bytesMax: number): void;
  /** Undefined if neither this entry nor its successor is cached. */
  since(id: EntryId): LeasedSince | undefined;
  bytes(): number;
}

const PIECE_BYTES = 16_384;
const PIECE_ENTRIES = 64;
const FACTS = 4;

/** Entries share one buffer: thousands of small ones would double the memory. */
interface Piece {
  readonly payloads: Uint8Array;
  readonly facts: Float64Array;
  /** Includes the dropped ones, which are the oldest. */
  count: number;
  dropped: number;
}

export function createTail(before: EntryId | undefined, nowMs: () => number, limits: TailLimits = TAIL_LIMITS): Tail {
  const pieces: Piece[] = [];
  let floor = before;
  let held = 0;
  let bytes = 0;

  function dropOldest(): void {
    const [piece] = pieces;
    if (piece === undefined) return;
    floor = idAt(piece, piece.dropped);
    piece.dropped += 1;
    held -= 1;
    if (piece.dropped < piece.count) return;
    pieces.shift();
    bytes -= sizeOf(piece);
  }

  function dropBeyondLimits(): void {
    const oldestMs = nowMs() - limits.ageMs;
    for (let piece = pieces[0]; piece !== undefined; piece = pieces[0]) {
      if (held <= limits.entries && fact(piece, piece.dropped, 2) >= oldestMs) return;
      dropOldest();
    }
  }

  function pieceFor(payloadBytes: number, bytesMax: number): Piece {
    const last = pieces.at(-1);
    if (last !== undefined && last.count < PIECE_ENTRIES && endOf(last) + payloadBytes <= last.payloads.length) return last;
    const piece = {
      payloads: new Uint8Array(Math.max(PIECE_BYTES, payloadBytes)),
      facts: new Float64Array(PIECE_ENTRIES * FACTS),
      count: 0,
      dropped: 0,
    };
    while (pieces.length > 0 && bytes + sizeOf(piece) > bytesMax) dropOldest();
    pieces.push(piece);
    bytes += sizeOf(piece);
    return piece;
  }

  return {
    bytes: () => bytes,
    push(entries, bytesMax) {
      const atMs = nowMs();
      for (const { epoch, ordinal, payload } of entries) {
        const piece = pieceFor(payload.length, bytesMax);
        const start = endOf(piece);
        piece.payloads.set(payload, start);
        piece.facts.set([epoch, ordinal, atMs, start + payload.length], piece.count * FACTS);
        piece.count += 1;
        held += 1;
        if (held > limits.entries) dropOldest();
      }
      dropBeyondLimits();
    },
    since(id) {
      let payload: Uint8Array | undefined;
      let isHeld = floor !== undefined && compareEntryIds(floor, id) === 0;
      const after: LogEntry[] = [];
      for (const piece of pieces) {
        for (let at = piece.dropped; at < piece.count; at += 1) {
          const entry = { ...idAt(piece, at), payload: payloadAt(piece, at) };
          const order = compareEntryIds(entry, id);
          if (order > 0) after.push(entry);
          else if (order === 0) {
            isHeld = true;
            ({ payload } = entry);
          }
        }
      }
      return isHeld ? { payload, entries: after } : undefined;
    },
  };
}

function fact(piece: Piece, at: number, which: 0 | 1 | 2 | 3): number {
  return piece.facts[at * FACTS + which] ?? 0;
}

function idAt(piece: Piece, at: number): EntryId {
  return { epoch: fact(piece, at, 0), ordinal: fact(piece, at, 1) };
}

function payloadAt(piece: Piece, at: number): Uint8Array {
  return piece.payloads.subarray(at === 0 ? 0 : fact(piece, at - 1, 3), fact(piece, at, 3));
}

function endOf(piece: Piece): number {
  return piece.count === 0 ? 0 : fact(piece, piece.count - 1, 3);
}

function sizeOf({ payloads, facts }: Piece): number {
  return payloads.byteLength + facts.byteLength;
}

export interface AppenderDeps {
  readonly redis: LogRedis;
  readonly logger: Logger;
  readonly closed: AbortSignal;
  readonly fenceOf: (symbol: string) => number;
  readonly onRepaired: (symbol: string, entries: number) => void;
  readonly tailLimits?: TailLimits;
}

const TAILS_BYTES_MAX = 64 * 1_048_576;
/** Bounds the time that one repair script blocks the Redis node. */
const REPAIR_BATCH = 500;

interface Written {
  last: EntryId;
  tail: Tail;
}

/**
 * Each batch is one script that appends only behind the expected newest entry, so retries are all-or-nothing. If the
 * newest entry is older than expected, the store lost entries (failover): they are appended again from the tail, or the
 * caller must start a new epoch.
 */
export function createAppender({ redis, logger, closed, fenceOf, onRepaired, tailLimits }: AppenderDeps): Appender {
  const streams = new Map<string, Written>();
  const newTail = (before: EntryId | undefined): Tail => createTail(before, () => performance.now(), tailLimits);

  function lostSince(symbol: string, { last }: Written, found: EntryId | undefined): EventLogError {
    return new EventLogError(
      'lost',
      `log of ${symbol} ends at ${found ? formatEntryId(found) : 'nothing'}, expected ${formatEntryId(last)}`,
    );
  }

  /** Undefined on success, otherwise the id of the newest entry found. */
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

  async function appendPieces(symbol: string, found: EntryId | undefined, entries: readonly LogEntry[]): Promise<void> {
    let before = found;
    for (let from = 0; from < entries.length; from += REPAIR_BATCH) {
      const piece = entries.slice(from, from + REPAIR_BATCH);
      const other = await appendAfter(symbol, before, piece);
      if (other !== undefined) throw new Error('the log changed during tail repair');
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
    logger.warn(
      { symbol, end: formatEntryId(found), entries: held.entries.length },
      'the log lost its newest entries; appended them again',
    );
    onRepaired(symbol, held.entries.length);
  }

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

  /** An acknowledgement was lost, or another process appended the entries. */
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
        throw new EventLogError('conflict', `log of ${symbol} has a different entry at ${formatEntryId(entry)}`);
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
          logger.warn({ symbol, attempt, err: error }, 'append failed; retrying');
          leaveIfSilent(redis, error);
          await delay(backoffMs(attempt, { minMs: 20, maxMs: 1_000 }), stop).catch(() => undefined);
        }
      }
    },
  };
}

function throwUnlessTemporary(symbol: string, error: Error): void {
  const refusal = refusalOf(symbol, error);
  if (refusal !== undefined) throw refusal;
  if (isBehindItsEnd(error)) throw new EventLogError('conflict', `log of ${symbol} rejected an entry`, error);
  if (!says(error, 'LOADING|MASTERDOWN|NOREPLICAS|MISCONF|TRYAGAIN|CLUSTERDOWN|BUSY|READONLY|MOVED|ASK')) throw error;
}

export function refusalOf(symbol: string, error: unknown): EventLogError | undefined {
  if (!isRefusal(error)) return undefined;
  if (says(error, 'FENCED')) return new EventLogError('fenced', `another writer took over the log of ${symbol}`, error);
  return says(error, 'OOM') ? new EventLogError('full', 'the event log is out of memory', error) : undefined;
}

/** Before Redis 7, a script's error has the failed command's code inside the message. */
function says(error: Error, codes: string): boolean {
  return new RegExp(`(?:^|-)(?:${codes})\\b`).test(error.message);
}

/** Redis rejects ids up to the highest one ever used, even after trimming. */
function isBehindItsEnd(error: Error): boolean {
  return error.message.includes('equal or smaller');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
