import { setImmediate as nextTurn } from 'node:timers/promises';
import type { marketData } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { decodeEvent, type MarketEvent } from '@market-state/market-data';

/** Entries taken without a break: some milliseconds of work, so that labelling goes on in between. */
const BATCH_ENTRIES = 50;
/** Contradicting entries that are told one by one. */
const CONTRADICTING_MAX = 100;

export type LogClient = Pick<GrpcClient<marketData.MarketDataServiceService>['call'], 'streamLogEntries'>;

/** What reading a stretch of the log has met so far. */
export interface ReadEntries {
  entryTotal: number;
  readonly contradictingOrdinals: number[];
}

/** The retained entries of a symbol's log after one place up to another, in small batches with a turn of the event loop between them. */
export async function* readEntries(
  client: LogClient,
  range: marketData.StreamLogEntriesRequest,
  met: ReadEntries,
  signal: AbortSignal,
): AsyncGenerator<readonly MarketEvent[]> {
  for await (const { entries, contradictingOrdinals } of client.streamLogEntries(range, { signal })) {
    met.contradictingOrdinals.push(...contradictingOrdinals.slice(0, CONTRADICTING_MAX - met.contradictingOrdinals.length));
    for (let from = 0; from < entries.length; from += BATCH_ENTRIES) {
      const batch = entries.slice(from, from + BATCH_ENTRIES);
      met.entryTotal += batch.length;
      yield batch.map(decodeEvent);
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  signal.throwIfAborted();
}

/** The client of a service that was not told where the data plane is. */
export const noLogClient: LogClient = {
  async *streamLogEntries() {
    throw failedPrecondition('upstream_unavailable', 'This labeling service is not connected to a data plane.');
  },
};
