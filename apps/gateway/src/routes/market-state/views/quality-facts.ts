import type { marketData } from '@market-state/contracts';
import type { Packet } from '@market-state/labeler';
import type { PacketClient } from '../../../clients/packet-client';
import { readRecord } from '../../../clients/packets/read-packet';
import type { ServedPacket } from '../../../clients/served-packet';
import { createStretchCache } from '../../../clients/stretch-cache';
import type { Upstreams } from '../../../clients/upstreams';

const HOUR_MS = 3_600_000;
/** Counts of the feed are asked for so often at most, milliseconds. */
const REJECTIONS_MS = 1_000;
/** A packet is the newest for ten seconds; what is said of it holds until another is. */
const LATE_EVENTS_MS = 3_600_000;
const SYMBOLS_MAX = 256;

/** Events that came late: since the log began, and in the hour up to a packet, or as much of it as there are packets of. */
export interface LateEvents {
  readonly since_log_began_total: number;
  readonly in_span_total: number;
  readonly span_seconds: number;
}

/** What is said of a packet's quality beside the packet: kept where it is of now. */
export interface QualityFacts {
  /** What the feed rejected, a second old at most. Rejects with a ServiceError where it does not answer. */
  rejections(symbol: string): Promise<marketData.GetRejectionsResponse>;
  /** Those up to a packet, as of an instant (0: now). Rejects with a ServiceError. */
  lateEvents(held: ServedPacket, asOfMs: number): Promise<LateEvents>;
  /** Both, where nothing must be asked for them. */
  known(held: ServedPacket): { readonly rejections: marketData.GetRejectionsResponse; readonly lateEvents: LateEvents } | null;
}

/** @param now wall clock, milliseconds since the epoch */
export function createQualityFacts({ marketData, packets }: Pick<Upstreams, 'packets' | 'marketData'>, now: () => number): QualityFacts {
  const counts = createStretchCache<marketData.GetRejectionsResponse>({ stretchMs: REJECTIONS_MS, entriesMax: SYMBOLS_MAX, now });
  const late = createStretchCache<LateEvents>({ stretchMs: LATE_EVENTS_MS, entriesMax: SYMBOLS_MAX, now });

  return {
    rejections: (symbol) => counts.get(symbol, () => marketData.call.getRejections({ symbol })),
    lateEvents(held, asOfMs) {
      const read = () => readLateEvents(packets, held.packet, held.windowEndMs, asOfMs);
      return asOfMs === 0 ? late.get(held.packetId, read) : read();
    },
    known(held) {
      const [rejections, lateEvents] = [counts.known(held.symbol), late.known(held.packetId)];
      return rejections === null || lateEvents === null ? null : { rejections, lateEvents };
    },
  };
}

async function readLateEvents(client: PacketClient, packet: Packet, windowEndMs: number, asOfMs: number): Promise<LateEvents> {
  const fromWindowEndMs = windowEndMs - HOUR_MS;
  const { packets } = await client.call.listPackets({
    symbol: packet.symbol,
    fromWindowEndMs,
    toWindowEndMs: windowEndMs + 1,
    pageSize: 1,
    pageToken: '',
    descending: false,
    asOfMs,
  });
  const [earliest] = packets.map((record) => readRecord(record).logged);
  const total = packet.source_resolution.late_event_total;
  const earlier = earliest?.packet.source_resolution.late_event_total ?? total;
  return {
    since_log_began_total: total,
    in_span_total: Math.max(0, total - earlier),
    span_seconds: (windowEndMs - (earliest?.windowEndMs ?? windowEndMs)) / 1_000,
  };
}
