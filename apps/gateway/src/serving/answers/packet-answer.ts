import { WINDOW_MS } from '@market-state/market-data';
import { compactPacket } from '@market-state/packet-views';
import { toUtc, responseStateOf } from '../meta/meta';
import type { ServedPacket } from '../../clients/packet-client';
import { dataAnswer, type Completeness } from './data-answer';
import type { CallContext } from './handler';
import type { Described } from '../openapi/document';

export function toPacketRef(held: ServedPacket): Described<'PacketRef'> {
  return {
    symbol: held.symbol,
    packet_id: held.packetId,
    event_id: held.eventId,
    sequence: held.sequence,
    window_end_utc: toUtc(held.windowEndMs),
    packet_digest: held.packetDigest,
    lineage_digest: held.lineageDigest,
    signature: held.signature,
    signing_key_id: held.signingKeyId,
    replay_cursor: held.packet.replay.cursor,
  };
}

export type PacketView = 'packet' | 'compact';

export function toCompactRow(
  { symbol, packet, packetDigest, lineageDigest, sourceKind }: ServedPacket,
  delayed = false,
): Described<'CompactPacket'> {
  const responseState = responseStateOf({ sourceKinds: [sourceKind], delayed });
  return { ...compactPacket(packet, { packetDigest, lineageDigest, responseState }), symbol };
}

interface PacketSubject {
  readonly held: ServedPacket;
  /** Else it is about the newest packet. */
  readonly isEvent: boolean;
  /** Requested instant; 0 for now. */
  readonly asOfMs: number;
  /** End of the covered time without a requested instant. */
  readonly speaksToMs: number;
  readonly nowMs: number;
  readonly remark?: string;
  readonly completeness?: Completeness;
}

const SENTENCES = {
  newest: { fresh: 'The newest packet is fresh.', stale: 'The newest packet is past its staleness limit; no newer one has been made.' },
  past: {
    fresh: 'The packet was the newest at the requested instant and is still fresh.',
    stale: 'The packet was the newest at the requested instant; newer ones may have been made since.',
  },
  event: { fresh: 'The packet of this event is fresh.', stale: 'The event is in the past; its packet no longer changes.' },
} as const;

export function packetAnswer<T extends object>(call: Pick<CallContext, 'operation' | 'grant'>, subject: PacketSubject, fields: T) {
  const { held, isEvent, asOfMs, speaksToMs, nowMs, remark, completeness } = subject;
  const state = nowMs < held.freshUntilMs ? 'fresh' : 'stale';
  const source = {
    symbol: held.symbol,
    venue: held.packet.scope.venue,
    asOfMs: asOfMs === 0 ? speaksToMs : Math.min(asOfMs, nowMs),
    kinds: [held.sourceKind],
    state,
    detail: SENTENCES[isEvent ? 'event' : asOfMs === 0 ? 'newest' : 'past'][state],
    remark,
    held: completeness,
    stored: isEvent || asOfMs !== 0,
  } as const;
  return dataAnswer(call, source, {
    packet_ref: toPacketRef(held),
    window_start_utc: toUtc(held.windowEndMs - WINDOW_MS),
    window_end_utc: toUtc(held.windowEndMs),
    fresh_until_utc: toUtc(held.freshUntilMs),
    not_a_signal: true as const,
    ...fields,
  });
}
