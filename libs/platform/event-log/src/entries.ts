import type { RedisConnection } from '@market-state/redis';

/** Position of an entry in a symbol's log. Ordered by epoch, then ordinal. */
export interface EntryId {
  /** Raised by one each time the stored stream was found empty or behind. */
  readonly epoch: number;
  /** Rises by 1 from 1 and never restarts, even with a new epoch. */
  readonly ordinal: number;
}

/** Before every entry: reading after it starts at the oldest one kept. */
export const LOG_START: EntryId = { epoch: 0, ordinal: 0 };

/** `<epoch>-<ordinal>`, the id of the entry in Redis. */
export function formatEntryId(id: EntryId): string {
  return `${id.epoch}-${id.ordinal}`;
}

/** Reads `<epoch>-<ordinal>`; throws on anything else. */
export function parseEntryId(text: string): EntryId {
  const dash = text.indexOf('-');
  const epoch = wholeNumber(text, 0, dash);
  const ordinal = wholeNumber(text, dash + 1, text.length);
  if (dash < 1 || Number.isNaN(epoch) || Number.isNaN(ordinal)) throw new Error('not an entry id: expected <epoch>-<ordinal>');
  return { epoch, ordinal };
}

/** Decimal digits from `start` to before `end`, at most 15; NaN for anything else. */
function wholeNumber(text: string, start: number, end: number): number {
  if (end <= start || end - start > 15) return NaN;
  let value = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Negative when `a` is before `b`, 0 when they are equal, positive when after. */
export function compareEntryIds(a: EntryId, b: EntryId): number {
  return a.epoch - b.epoch || a.ordinal - b.ordinal;
}

/** What a writer appends. */
export interface LogEntry extends EntryId {
  readonly payload: Uint8Array;
}

/** The one field of each stream entry. */
export const PAYLOAD_FIELD = 'e';

/** Key of a symbol's stream; the braces keep all keys of a symbol on one Redis Cluster slot. */
export function streamKey(symbol: string): string {
  return `md:{${symbol}}`;
}

/** Key of the hash of consumers' positions. */
export function positionsKey(symbol: string): string {
  return `md:{${symbol}}:positions`;
}

/** Key of the newest fence that the log has seen. */
export function fenceKey(symbol: string): string {
  return `md:{${symbol}}:fence`;
}

/** Entries of an XRANGE, XREVRANGE or one XREAD stream reply, in the reply's order. */
export function readEntries(reply: unknown): LogEntry[] {
  if (!Array.isArray(reply)) return [];
  return reply.map((raw: unknown): LogEntry => {
    const [id, fields] = raw as [Buffer, Buffer[]];
    const payload = fields[1];
    if (payload === undefined) throw new Error('an event log entry has no payload');
    return { ...parseEntryId(id.toString('latin1')), payload };
  });
}

/** Entries of an XREAD reply (RESP2) over one stream; none when it timed out. */
export function readSingleStream(reply: unknown): LogEntry[] {
  if (!Array.isArray(reply) || reply.length === 0) return [];
  return readEntries((reply[0] as unknown[])[1]);
}

/** The newest entry's id, or undefined when the stream is empty or absent. */
export async function lastId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrevrangeBuffer(streamKey(symbol), '+', '-', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

/** The oldest entry kept. */
export async function firstId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrangeBuffer(streamKey(symbol), '-', '+', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

/** Up to `count` entries after `afterId`, oldest first. */
export async function readAfter(redis: RedisConnection, symbol: string, afterId: EntryId, count: number): Promise<LogEntry[]> {
  return readEntries(await redis.xrangeBuffer(streamKey(symbol), `(${formatEntryId(afterId)}`, '+', 'COUNT', count));
}

/** The `count` entries before `beforeId` (or the newest), oldest first. */
export async function readBefore(
  redis: RedisConnection,
  symbol: string,
  beforeId: EntryId | undefined,
  count: number,
): Promise<LogEntry[]> {
  const end = beforeId === undefined ? '+' : `(${formatEntryId(beforeId)}`;
  return readEntries(await redis.xrevrangeBuffer(streamKey(symbol), end, '-', 'COUNT', count)).reverse();
}
