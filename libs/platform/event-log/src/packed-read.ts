import type { Redis } from 'ioredis';
import { type LogEntry, streamKey } from './entries';
import { type EntryId, formatEntryId, parseEntryId } from './entry-id';

/** Entries as one string: for each its id behind the length of it (2 bytes), and its payload behind the length of that (4 bytes). */
const PACK = `
  local entries = redis.call('XRANGE', KEYS[1], ARGV[1], '+', 'COUNT', ARGV[2])
  for place, entry in ipairs(entries) do
    local id, payload = entry[1], entry[2][2]
    entries[place] = struct.pack('>I2c0I4c0', #id, id, #payload, payload)
  end
  return table.concat(entries)`;

/**
 * Up to `count` entries after `afterId`, oldest first, in one piece: for a reader that is behind. Taking a reply of thousands of parts to
 * pieces costs it more than all else that it does with it. The payloads are views of one piece of memory.
 */
export async function readPacked(redis: Redis, symbol: string, afterId: EntryId, count: number): Promise<LogEntry[]> {
  const packed: unknown = await redis.callBuffer('EVAL', PACK, 1, streamKey(symbol), `(${formatEntryId(afterId)}`, count);
  if (!Buffer.isBuffer(packed)) throw new Error('packed entries are no bytes');
  const entries: LogEntry[] = [];
  for (let at = 0; at < packed.length; ) {
    const idEnd = at + 2 + packed.readUInt16BE(at);
    const end = idEnd + 4 + packed.readUInt32BE(idEnd);
    const { epoch, ordinal } = parseEntryId(packed.toString('latin1', at + 2, idEnd));
    entries.push({ epoch, ordinal, payload: packed.subarray(idEnd + 4, end) });
    at = end;
  }
  return entries;
}
