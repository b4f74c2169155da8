import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { gapFrames, marketFrames, toProtoVenue } from '@market-state/live-market';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { TailEntry } from '../market/tail';
import { inMessages } from '../window/sent-rows';
import type { RpcDeps } from './deps';

type Frame = marketData.FollowMarketResponse;

const HEARTBEAT_MS = 500;
/** Batches entries that arrive within this time of the first. */
const GATHERED_MS = 10;
/** Backlog limit per reader; beyond it, the whole market is sent again. */
const WAITING_BYTES_MAX = 4_194_304;
const MESSAGE_BYTES_MAX = 1_048_576;

class PendingChanges {
  private entries: Buffer[] = [];
  private sizeBytes = 0;
  private gapsChanged = false;
  private wake = (): void => undefined;
  /** The backlog overflowed: the follower must start over. */
  isLost = false;

  add(entries: readonly TailEntry[]): void {
    if (this.isLost) return;
    for (const { payload } of entries) {
      this.entries.push(Buffer.from(payload.buffer, payload.byteOffset, payload.length));
      this.sizeBytes += payload.length;
    }
    if (this.sizeBytes > WAITING_BYTES_MAX) {
      this.clear();
      this.isLost = true;
    }
    this.wake();
  }

  addGaps(): void {
    this.gapsChanged = true;
    this.wake();
  }

  get isEmpty(): boolean {
    return this.entries.length === 0 && !this.gapsChanged && !this.isLost;
  }

  clear(): void {
    this.entries = [];
    this.sizeBytes = 0;
    this.gapsChanged = false;
    this.isLost = false;
  }

  take(): { readonly entries: Buffer[]; readonly gapsChanged: boolean } {
    const { entries, gapsChanged } = this;
    this.clear();
    return { entries, gapsChanged };
  }

  changed(withinMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, withinMs);
      signal.addEventListener('abort', end, { once: true });
      this.wake = end;
    });
  }
}

export async function* followMarket(
  { tail, venues, timer }: RpcDeps,
  { symbol }: marketData.FollowMarketRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<Frame> {
  refuseFaults(symbolFaults(symbol));
  const market = tail.marketOf(symbol);
  const pending = new PendingChanges();
  const stopListening = tail.listen(symbol, { onEntries: (entries) => pending.add(entries), onGaps: () => pending.addGaps() });
  try {
    pending.isLost = true;
    let reportedVenue = '';
    while (!signal.aborted) {
      if (pending.isEmpty) await pending.changed(HEARTBEAT_MS, signal);
      if (pending.isEmpty) {
        yield { frame: { $case: 'heartbeat', value: {} } };
        continue;
      }
      if (pending.isLost) {
        // Snapshot and clear happen synchronously, so that later changes follow the snapshot.
        pending.clear();
        const frames = marketFrames(market, venues.of(symbol));
        reportedVenue = JSON.stringify(toProtoVenue(venues.of(symbol)));
        yield* frames;
        continue;
      }
      await timer.sleep(GATHERED_MS, signal);
      if (pending.isLost) continue;
      const { entries, gapsChanged } = pending.take();
      for (const part of inMessages(entries, ({ length }) => length, { bytesMax: MESSAGE_BYTES_MAX }))
        yield { frame: { $case: 'entries', value: { entries: part } } };
      if (gapsChanged) yield* gapFrames(market);
      const venue = toProtoVenue(venues.of(symbol));
      if (JSON.stringify(venue) === reportedVenue) continue;
      reportedVenue = JSON.stringify(venue);
      yield { frame: { $case: 'venue', value: venue } };
    }
  } finally {
    stopListening();
  }
}
