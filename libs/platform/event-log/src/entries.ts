import { type EntryId, parseEntryId } from './entry-id';

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
