import type { ChannelName } from '../clients/channel-name';
import { BEFORE_EVERY_PACKET_MS, hasRowsOf, logPosition, type StreamPosition, refuseId } from './position';
import { catchUp } from './catch-up';
import { followRows, type FollowRowsDeps, readHead } from './follow-rows';
import { STREAM_LIMITS } from './limits';
import type { PacketHub } from './packet-hub';
import type { RowHub } from './row-hub';
import type { RowHubs } from './row-hubs';
import type { Frame } from './frame';
import type { SymbolReader } from './symbol-reader';

export interface LiveReaderDeps extends FollowRowsDeps {
  readonly hubs: RowHubs;
  readonly packets: PacketHub;
}

/** What a reader wants of one symbol. */
export interface LiveRows {
  readonly symbol: string;
  readonly channels: ReadonlySet<ChannelName>;
  readonly batchBytesMax: number;
}

/** Where a reader begins: after its last message, or at the newest one. */
function startOf(hub: RowHub, { symbol, channels }: LiveRows, after: StreamPosition | null): StreamPosition {
  const withPackets = channels.has('packets');
  const head = hub.ring.head();
  const newestMs = withPackets ? head.windowEndMs : 0;
  if (after === null) return { ...head, windowEndMs: newestMs };
  const isNone = after.epoch === 0 && after.ordinal > 0;
  if (isNone || after.epoch > head.epoch || after.ordinal > head.ordinal + STREAM_LIMITS.aheadRowsMax)
    throw refuseId(`names a position that ${symbol} has not reached`);
  return { ...after, windowEndMs: withPackets && after.windowEndMs > 0 ? after.windowEndMs : newestMs };
}

/**
 * Live rows of a symbol, after the reader's last message or from now on. Everything that can be refused is refused here:
 * an unknown symbol, an id of no position, and one whose rows are no longer kept.
 */
export async function openLiveReader(deps: LiveReaderDeps, wanted: LiveRows, after: StreamPosition | null): Promise<SymbolReader<Frame>> {
  const { symbol, channels, batchBytesMax } = wanted;
  const { hub, release } = await deps.hubs.enter(symbol);
  const stop = new AbortController();
  const withPackets = channels.has('packets');
  const close = (): void => {
    stop.abort();
    release();
  };
  try {
    const start = startOf(hub, wanted, after);
    const { ring } = hub;
    const rows = hasRowsOf(start, ring.tail()) ? null : followRows(deps, symbol, logPosition(start), stop.signal);
    if (rows !== null) await readHead(rows);
    const packetsMissing = withPackets && start.windowEndMs < ring.tail().windowEndMs && start.windowEndMs > BEFORE_EVERY_PACKET_MS;
    if (packetsMissing) await deps.packets.require(symbol, start.windowEndMs);
    const reading = { ring, channels, withPackets, lost: hub.lost, batchBytesMax };
    return {
      symbol,
      start,
      batches: (signal) => catchUp({ symbol, reading, rows, packets: deps.packets }, start, AbortSignal.any([signal, stop.signal])),
      feedClockMs: () => hub.feedClockMs(),
      sourceKind: () => hub.sourceKind(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
