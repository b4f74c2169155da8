import type { RedisConnection } from '@market-state/redis';

/** Entry id in a symbol's log, ordered by epoch, then ordinal. */
export interface EntryId {
  readonly epoch: number;
  /** Starts at 1, rises by 1, and never restarts, even in a new epoch. */
  readonly ordinal: number;
}

/** Reading after it starts at the oldest stored entry. */
export const LOG_START: EntryId = { epoch: 0, ordinal: 0 };

export function formatEntryId(id: EntryId): string {
  return `${id.epoch}-${id.ordinal}`;
}

export function parseEntryId(text: string): EntryId {
  const dash = text.indexOf('-');
  const epoch = wholeNumber(text, 0, dash);
  const ordinal = wholeNumber(text, dash + 1, text.length);
  if (dash < 1 || Number.isNaN(epoch) || Number.isNaN(ordinal)) throw new Error('not an entry id: expected <epoch>-<ordinal>');
  return { epoch, ordinal };
}

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

export function compareEntryIds(a: EntryId, b: EntryId): number {
  return a.epoch - b.epoch || a.ordinal - b.ordinal;
}

export interface LogEntry extends EntryId {
  readonly payload: Uint8Array;
}

export const PAYLOAD_FIELD = 'e';

/** The braces put all of a symbol's keys on one Redis Cluster slot. */
export function streamKey(symbol: string): string {
  return `md:{${symbol}}`;
}

export function positionsKey(symbol: string): string {
  return `md:{${symbol}}:positions`;
}

export function fenceKey(symbol: string): string {
  return `md:{${symbol}}:fence`;
}

export function readEntries(reply: unknown): LogEntry[] {
  if (!Array.isArray(reply)) return [];
  return reply.map((raw: unknown): LogEntry => {
    const [id, fields] = raw as [Buffer, Buffer[]];
    const payload = fields[1];
    if (payload === undefined) throw new Error('an event log entry has no payload');
    return { ...parseEntryId(id.toString('latin1')), payload };
  });
}

/** Entries by stream key, from a reply in RESP2; empty on timeout. */
export function readStreams(reply: unknown): ReadonlyMap<string, LogEntry[]> {
  const streams = Array.isArray(reply) ? (reply as readonly [key: Buffer, entries: unknown][]) : [];
  return new Map(streams.map(([key, entries]) => [key.toString(), readEntries(entries)]));
}

export async function lastId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrevrangeBuffer(streamKey(symbol), '+', '-', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

export async function firstId(redis: RedisConnection, symbol: string): Promise<EntryId | undefined> {
  const [entry] = readEntries(await redis.xrangeBuffer(streamKey(symbol), '-', '+', 'COUNT', 1));
  return entry === undefined ? undefined : { epoch: entry.epoch, ordinal: entry.ordinal };
}

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
