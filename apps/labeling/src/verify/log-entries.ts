import { setImmediate as nextTurn } from 'node:timers/promises';
import type { marketData } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { decodeEvent, type MarketEvent } from '@market-state/market-data';

/** Entries processed without yielding: a few milliseconds, so that labelling continues in between. */
const BATCH_ENTRIES = 50;
const CONTRADICTING_MAX = 100;

export type LogClient = Pick<GrpcClient<marketData.MarketDataServiceService>['call'], 'streamLogEntries'>;

export interface ReadEntries {
  entryTotal: number;
  readonly contradictingOrdinals: number[];
}

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

export const noLogClient: LogClient = {
  async *streamLogEntries() {
    throw failedPrecondition('upstream_unavailable', 'This labeling service is not connected to a data plane.');
  },
};
