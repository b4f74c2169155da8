import { type RedisConnection, openRedis } from '@market-state/redis';
import type { Logger } from '@market-state/logging';

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

const PAYLOAD_FIELD = 'e';

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

/**
 * - `conflict`: another writer stored a different payload, or an entry is missing.
 * - `lost`: the store lost entries; the writer must raise the epoch.
 * - `full`: out of memory; nothing was written.
 * - `fenced`: a writer with a newer fence took over.
 * - `closed`: the log was closed during the call.
 */
type EventLogErrorKind = 'conflict' | 'lost' | 'full' | 'fenced' | 'closed';

/** Retrying cannot fix it. */
export class EventLogError extends Error {
  override readonly name = 'EventLogError';

  constructor(
    readonly kind: EventLogErrorKind,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

export function isEventLogError(error: unknown, kind?: EventLogErrorKind): error is EventLogError {
  return error instanceof EventLogError && (kind === undefined || error.kind === kind);
}

const FENCED = `
local seen = tonumber(redis.call('GET', KEYS[2]) or '0')
local fence = tonumber(ARGV[1])
if fence < seen then return redis.error_reply('FENCED the log has seen fence ' .. seen) end
if fence > seen then redis.call('SET', KEYS[2], ARGV[1]) end
`;

/** Nil on success, otherwise the actual newest id. */
const APPEND_AFTER = `${FENCED}
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local found = newest and newest[1] or ''
if found ~= ARGV[2] then return found end
for at = 3, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[at], '${PAYLOAD_FIELD}', ARGV[at + 1]) end
return false
`;

const TRIM_TO = `${FENCED}
return redis.call('XTRIM', KEYS[1], 'MINID', ARGV[2])
`;

const CLAIM = `
local seen = tonumber(redis.call('GET', KEYS[2]) or '0')
if tonumber(ARGV[1]) > seen then
  redis.call('SET', KEYS[2], ARGV[1])
  return tonumber(ARGV[1])
end
return seen
`;

const MEMORY_OF_NODE = `return redis.call('INFO', 'memory')`;

interface LogCommands {
  /** @param idsAndPayloads alternating ids and payloads */
  appendAfter(
    key: string,
    fenceKey: string,
    fence: number,
    newestId: string,
    idsAndPayloads: readonly (string | Buffer)[],
  ): Promise<string | null>;
  trimTo(key: string, fenceKey: string, fence: number, minId: string): Promise<number>;
  claim(key: string, fenceKey: string, fence: number): Promise<number>;
  memoryOfNode(key: string): Promise<string>;
}

export type LogRedis = RedisConnection & LogCommands;

export function openLogRedis(redisUrl: string, logger: Logger): LogRedis {
  const scripts = {
    appendAfter: { lua: APPEND_AFTER, numberOfKeys: 2 },
    trimTo: { lua: TRIM_TO, numberOfKeys: 2 },
    claim: { lua: CLAIM, numberOfKeys: 2 },
    memoryOfNode: { lua: MEMORY_OF_NODE, numberOfKeys: 1 },
  };
  return openRedis(redisUrl, { role: 'log', logger, manner: 'prompt', scripts }) as LogRedis;
}

export interface MemoryUsage {
  readonly usedBytes: number;
  /** 0 if unlimited. */
  readonly limitBytes: number;
}

export function parseMemoryUsage(info: string): MemoryUsage {
  const field = (key: string): number => Number(new RegExp(`^${key}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { usedBytes: field('used_memory'), limitBytes: field('maxmemory') };
}
