import { isServiceError } from '@market-state/errors';
import { featureQuality } from '@market-state/packet-views';
import type { Packet } from '@market-state/labeler';
import type { MarketDataClient } from '../../clients/market-data-client';
import type { PacketClient } from '../../clients/packet-client';
import type { ServedPacket } from '../../clients/served-packet';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant } from '../../serving/validation/instant';
import { channelOf, readChannels, rejectionsView } from './views/channel-quality';
import { definitions } from '../../serving/policy/definitions';
import { eventLinks } from './views/event-links';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { readNewestPacket, readRecord } from '../../clients/packets/read-packet';
import type { NewestPacketDeps } from './views/read-of-newest';
import type { Handler } from '../../serving/handlers/handler';

const HOUR_MS = 3_600_000;

/** What the feed rejected; null, with a word on why, where it cannot be told. */
async function readRejections(client: MarketDataClient, symbol: string, ofNow: boolean) {
  if (!ofNow) return { rejected_messages: null, rejected_messages_note: 'Counts are of now and are not kept for earlier instants.' };
  try {
    return { rejected_messages: rejectionsView(await client.call.getRejections({ symbol })), rejected_messages_note: null };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { rejected_messages: null, rejected_messages_note: 'The feed does not answer.' };
  }
}

/** Events that came late: since the log began, and in the hour up to a packet, or as much of it as there are packets of. */
async function readLateEvents(client: PacketClient, packet: Packet, windowEndMs: number, asOfMs: number) {
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

type LateEvents = ReturnType<typeof readLateEvents>;

export function getFeatureQuality({ upstreams, latest, now }: NewestPacketDeps): Handler<'getFeatureQuality'> {
  const { marketData, packets } = upstreams;
  /** Of packets as of now: the one of an hour before is the same as long as a packet is the newest. */
  const kept = new WeakMap<ServedPacket, LateEvents>();

  function lateEventsOf(held: ServedPacket, asOfMs: number): LateEvents {
    const known = asOfMs === 0 ? kept.get(held) : undefined;
    if (known !== undefined) return known;
    const read = readLateEvents(packets, held.packet, held.windowEndMs, asOfMs);
    if (asOfMs !== 0) return read;
    kept.set(held, read);
    // What failed is asked for again.
    read.catch(() => kept.delete(held));
    return read;
  }

  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const { packet } = held;
    const [channels, rejections, late_events] = await Promise.all([
      readChannels(marketData, held.symbol, asOfMs),
      readRejections(marketData, held.symbol, asOfMs === 0 && grant?.sandbox !== true),
      lateEventsOf(held, asOfMs),
    ]);
    const { source_families, ...quality } = featureQuality(packet, definitions);
    return jsonRepresentation(
      packetAnswer(
        { operation, grant },
        { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs: now() },
        {
          ...quality,
          source_families: source_families.map((family) => ({ ...family, channel: channelOf(channels, family.source_family) })),
          ...rejections,
          late_events,
          links: eventLinks(packet),
        },
      ),
    );
  };
}
