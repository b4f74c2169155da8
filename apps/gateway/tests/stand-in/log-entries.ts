import type { labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, unavailable } from '@market-state/errors';
import { encodeEvent } from '@market-state/market-data';
import { FEED_CLOCK_MS } from './made-rows';

/** Entries of one message, as of the real service. */
const MESSAGE_ENTRIES = 1_000;

/** How the log that packets were made of is kept. */
export type LogState =
  | 'whole'
  /** The last entry is not stored yet. */
  | 'awaited'
  /** The first entries are no longer kept. */
  | 'gone'
  /** It breaks after its first message. */
  | 'breaking'
  /** All of it was received just now. */
  | 'young';

function tick(symbol: string, ordinal: number, receivedTsMs: number): Buffer {
  return Buffer.from(
    encodeEvent({
      ...{ kind: 'tick', venue: 'binance-coinm', symbol, pass: 1, venueId: '', exchangeTsMs: FEED_CLOCK_MS },
      ...{ exchangeTsIsReceiveTime: true, receivedTsMs, ordinal, epoch: 1, feedClockMs: FEED_CLOCK_MS },
    }),
  );
}

/** The entries asked for, all of them ticks. */
export async function* logEntries(
  { symbol, afterOrdinal, toOrdinal }: marketData.StreamLogEntriesRequest,
  state: LogState,
): AsyncGenerator<marketData.StreamLogEntriesResponse> {
  if (state === 'gone') throw failedPrecondition('log_not_retained', 'These entries are no longer kept.');
  const lastOrdinal = state === 'awaited' ? toOrdinal - 1 : toOrdinal;
  const receivedTsMs = state === 'young' ? Date.now() : FEED_CLOCK_MS;
  for (let after = afterOrdinal; after < lastOrdinal; after += MESSAGE_ENTRIES) {
    const total = Math.min(MESSAGE_ENTRIES, lastOrdinal - after);
    yield {
      entries: Array.from({ length: total }, (_entry, index) => tick(symbol, after + 1 + index, receivedTsMs)),
      contradictingOrdinals: [],
    };
    if (state === 'breaking') throw unavailable('stopping', 'The service is stopping.');
  }
}

/** The checkpoint so many entries before the one that closed the window of a packet. */
export function checkpointOf(record: labeling.PacketRecord, entryTotal: number): labeling.CheckpointHeader {
  const digest = 'c'.repeat(64);
  return {
    symbol: record.symbol,
    windowEndMs: record.windowEndMs - 10_000,
    epoch: 1,
    ordinal: record.closingOrdinal - entryTotal,
    lineageDigest: digest,
    policyDigest: record.policyDigest,
    stateDigest: digest,
  };
}
