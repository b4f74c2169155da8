import type { labeling, marketData } from '@market-state/contracts';
import { failedPrecondition, unavailable } from '@market-state/errors';
import { encodeEvent } from '@market-state/market-data';
import { FEED_CLOCK_MS } from './made-rows';

/** Entries per message, as in the real service. */
const MESSAGE_ENTRIES = 1_000;

/** Retention state of the log that packets were made from. */
export type LogState =
  | 'whole'
  /** The last entry is not stored yet. */
  | 'awaited'
  /** The first entries are past retention. */
  | 'gone'
  /** Breaks after the first message. */
  | 'breaking'
  /** Everything was received just now. */
  | 'young';

function tick(symbol: string, ordinal: number, receivedTsMs: number): Buffer {
  return Buffer.from(
    encodeEvent({
      ...{ kind: 'tick', venue: 'binance-coinm', symbol, pass: 1, venueId: '', exchangeTsMs: FEED_CLOCK_MS },
      ...{ exchangeTsIsReceiveTime: true, receivedTsMs, ordinal, epoch: 1, feedClockMs: FEED_CLOCK_MS },
    }),
  );
}

/** The requested entries, all ticks. */
export async function* logEntries(
  { symbol, afterOrdinal, toOrdinal }: marketData.StreamLogEntriesRequest,
  state: LogState,
): AsyncGenerator<marketData.StreamLogEntriesResponse> {
  if (state === 'gone') throw failedPrecondition('log_not_retained', 'These entries are past retention.');
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

/** Checkpoint a number of entries before the one that closed a packet's window. */
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
