import type { Logger } from '@market-state/logging';
import { openRedis, type RedisConnection } from '@market-state/redis';
import { PAYLOAD_FIELD } from './entries';

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
