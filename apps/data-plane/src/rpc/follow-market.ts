import type { marketData } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { gapFrames, marketFrames, toProtoVenue } from '@market-state/live-market';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { TailEntry } from '../market/tail';
import type { RpcDeps } from './deps';

type Frame = marketData.FollowMarketResponse;

const HEARTBEAT_MS = 500;
/** What comes within this time of the first entry goes with it, milliseconds. */
const GATHERED_MS = 10;
/** Bytes that may wait for a reader; beyond them it is sent the whole market anew. */
const WAITING_BYTES_MAX = 4_194_304;
/** Bytes of the entries of one message. */
const MESSAGE_BYTES_MAX = 1_048_576;

/** What a follower was not told yet. */
class Untold {
  private entries: Buffer[] = [];
  private sizeBytes = 0;
  private gapsChanged = false;
  private wake = (): void => undefined;
  /** Too much waited, and it is lost: the follower must begin anew. */
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

  /** The entries, and whether gaps changed behind them; nothing is left. */
  take(): { readonly entries: Buffer[]; readonly gapsChanged: boolean } {
    const { entries, gapsChanged } = this;
    this.clear();
    return { entries, gapsChanged };
  }

  /** Resolves at the next addition, after so many milliseconds, or when the signal aborts. */
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

/** The market of a symbol, whole and then as it changes. */
export async function* followMarket(
  { tail, venues, timer }: RpcDeps,
  { symbol }: marketData.FollowMarketRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<Frame> {
  refuseFaults(symbolFaults(symbol));
  const market = tail.marketOf(symbol);
  const untold = new Untold();
  const stopListening = tail.listen(symbol, { onEntries: (entries) => untold.add(entries), onGaps: () => untold.addGaps() });
  try {
    untold.isLost = true;
    let toldVenue = '';
    while (!signal.aborted) {
      if (untold.isEmpty) await untold.changed(HEARTBEAT_MS, signal);
      if (untold.isEmpty) {
        yield { frame: { $case: 'heartbeat', value: {} } };
        continue;
      }
      if (untold.isLost) {
        // Whole and cleared in one turn: what comes from here on is told after it.
        untold.clear();
        const frames = marketFrames(market, venues.of(symbol));
        toldVenue = JSON.stringify(toProtoVenue(venues.of(symbol)));
        yield* frames;
        continue;
      }
      await timer.sleep(GATHERED_MS, signal);
      if (untold.isLost) continue;
      const { entries, gapsChanged } = untold.take();
      yield* entryFrames(entries);
      if (gapsChanged) yield* gapFrames(market);
      const venue = toProtoVenue(venues.of(symbol));
      if (JSON.stringify(venue) === toldVenue) continue;
      toldVenue = JSON.stringify(venue);
      yield { frame: { $case: 'venue', value: venue } };
    }
  } finally {
    stopListening();
  }
}

function* entryFrames(entries: readonly Buffer[]): Generator<Frame> {
  let part: Buffer[] = [];
  let sizeBytes = 0;
  for (const entry of entries) {
    if (sizeBytes + entry.length > MESSAGE_BYTES_MAX && part.length > 0) {
      yield { frame: { $case: 'entries', value: { entries: part } } };
      [part, sizeBytes] = [[], 0];
    }
    part.push(entry);
    sizeBytes += entry.length;
  }
  if (part.length > 0) yield { frame: { $case: 'entries', value: { entries: part } } };
}
