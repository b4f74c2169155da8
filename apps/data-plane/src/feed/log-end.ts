import type { EntryId, EventLog } from '@market-state/event-log';
import { decodeEvent } from '@market-state/market-data';

export interface LogEnd {
  readonly id: EntryId;
  readonly payload: Uint8Array;
  readonly pass: number;
  readonly feedClockMs: number;
  readonly exchangeTsMs: number;
}

/** Contains at least one book or trade unless the venue was silent. */
const lookBack = 64;

export async function readLogEnd(eventLog: EventLog, symbol: string): Promise<LogEnd | undefined> {
  const entries = await eventLog.readLast(symbol, lookBack);
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const events = entries.map((entry) => decodeEvent(entry.payload));
  const marketTimes = events.filter(({ kind }) => kind !== 'tick' && kind !== 'feed_status').map(({ exchangeTsMs }) => exchangeTsMs);
  const { pass, receivedTsMs } = decodeEvent(last.payload);
  return {
    id: { epoch: last.epoch, ordinal: last.ordinal },
    pass,
    feedClockMs: receivedTsMs,
    exchangeTsMs: marketTimes.length > 0 ? Math.max(...marketTimes) : receivedTsMs,
    payload: last.payload,
  };
}
