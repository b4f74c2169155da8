import type { ChannelName } from '../clients/channel-name';
import { catchUp } from './catch-up';
import { followRows, type FollowRowsDeps, readHead } from './follow-rows';
import { refuseId } from './last-event-id';
import { STREAM_LIMITS } from './limits';
import type { PacketHub } from './packet-hub';
import { BEFORE_EVERY_PACKET_MS, hasRowsOf, logPosition, type StreamPosition } from '../serving/handlers/stream-position';
import type { RowHub } from './row-hub';
import type { RowHubs } from './row-hubs';
import type { StreamSource } from '../serving/handlers/source';

export interface LiveSourceDeps extends FollowRowsDeps {
  readonly hubs: RowHubs;
  readonly packets: PacketHub;
}

/** Where a reader begins: after its last message, or at the newest one. */
function startOf(hub: RowHub, after: StreamPosition | null, withPackets: boolean): StreamPosition {
  const head = hub.ring.head();
  const newestMs = withPackets ? head.windowEndMs : 0;
  if (after === null) return { ...head, windowEndMs: newestMs };
  const isNone = after.epoch === 0 && after.ordinal > 0;
  if (isNone || after.epoch > head.epoch || after.ordinal > head.ordinal + STREAM_LIMITS.aheadRowsMax)
    throw refuseId('names a position that this symbol has not reached');
  return { ...after, windowEndMs: withPackets && after.windowEndMs > 0 ? after.windowEndMs : newestMs };
}

/**
 * Live rows of a symbol, after the reader's last message or from now on. Everything that can be refused is refused here:
 * an unknown symbol, an id of no position, and one whose rows are no longer kept.
 */
export async function openLiveSource(
  deps: LiveSourceDeps,
  symbol: string,
  channels: ReadonlySet<ChannelName>,
  after: StreamPosition | null,
): Promise<StreamSource> {
  const { hub, release } = await deps.hubs.enter(symbol);
  const stop = new AbortController();
  const withPackets = channels.has('packets');
  const close = (): void => {
    stop.abort();
    release();
  };
  try {
    const start = startOf(hub, after, withPackets);
    const { ring } = hub;
    const rows = hasRowsOf(start, ring.tail()) ? null : followRows(deps, symbol, logPosition(start), stop.signal);
    if (rows !== null) await readHead(rows);
    const packetsMissing = withPackets && start.windowEndMs < ring.tail().windowEndMs && start.windowEndMs > BEFORE_EVERY_PACKET_MS;
    if (packetsMissing) await deps.packets.require(symbol, start.windowEndMs);
    const reading = { ring, channels, withPackets, lost: hub.lost };
    return {
      heartbeatFirst: true,
      start,
      pieces: (signal) => catchUp({ symbol, reading, rows, packets: deps.packets }, start, AbortSignal.any([signal, stop.signal])),
      feedClockMs: () => hub.feedClockMs(),
      sourceKind: () => hub.sourceKind(),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}
