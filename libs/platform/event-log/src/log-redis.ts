import { openRedis, type RedisConnection } from '@market-state/redis';
import type { Logger } from '@market-state/logging';
import { PAYLOAD_FIELD } from './entries';

/**
 * Appends entries behind the newest one, if that has the id in ARGV[1] ('' for an empty stream): all of them or none. Answers nothing when
 * it did, else the id that the newest one has.
 */
const APPEND_AFTER = `
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local found = newest and newest[1] or ''
if found ~= ARGV[1] then return found end
for at = 2, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[at], '${PAYLOAD_FIELD}', ARGV[at + 1]) end
return false
`;

/** What INFO says of the memory of the node that has the key. */
const MEMORY_OF_NODE = `return redis.call('INFO', 'memory')`;

interface LogCommands {
  /** @param idsAndPayloads of each entry its id, then its payload */
  appendAfter(key: string, newestId: string, idsAndPayloads: readonly (string | Buffer)[]): Promise<string | null>;
  memoryOfNode(key: string): Promise<string>;
}

export type LogRedis = RedisConnection & LogCommands;

/** The connection of a log's own calls. What is sent twice changes nothing. */
export function openLogRedis(redisUrl: string, logger: Logger): LogRedis {
  const scripts = { appendAfter: { lua: APPEND_AFTER, numberOfKeys: 1 }, memoryOfNode: { lua: MEMORY_OF_NODE, numberOfKeys: 1 } };
  return openRedis(redisUrl, { role: 'log', logger, manner: 'prompt', scripts }) as LogRedis;
}
