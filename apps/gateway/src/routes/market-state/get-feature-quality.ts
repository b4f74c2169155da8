import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { Packet, SourceFamily } from '@market-state/labeler';
import { featureQuality } from '@market-state/packet-views';
import { createTtlCache } from '../../caches/ttl-cache';
import { freshnessAsOf } from '../../clients/delayed/recorded-rows';
import { fromProtoChannel, type MarketDataClient } from '../../clients/market-data-client';
import type { PacketClient, ServedPacket } from '../../clients/packet-client';
import { readNewestPacket, readRecord } from '../../clients/packets/read-packet';
import type { Upstreams } from '../../clients/upstreams';
import type { AnswerContext } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { packetAnswer } from '../../serving/answers/packet-answer';
import { fromProtoFreshness } from '../../serving/answers/symbol-freshness';
import { jsonRepresentation } from '../../serving/http/representation';
import { parseInstant, toUtc, toUtcOrNull, definitions } from '../../serving/meta/meta';
import type { Described } from '../../serving/openapi/document';
import { eventLinks } from './event-links';
import type { NewestPacketDeps } from './newest-views';

/** Channel behind each source family; candles are built from the symbol's own trades. */
const CHANNEL_OF: Readonly<Record<SourceFamily, Described<'FamilyChannel'>['channel']>> = {
  book: 'book',
  trades: 'trades',
  asset_context: 'context',
  liquidations: 'liquidations',
  candles: 'trades',
};

/** Channel states at an instant (0: now). */
function readChannels(client: MarketDataClient, symbol: string, asOfMs: number): Promise<marketData.GetFreshnessResponse> {
  return asOfMs === 0 ? client.call.getFreshness({ symbol }) : freshnessAsOf(client, symbol, asOfMs);
}

/** Null if the source does not report the channel. */
function channelOf({ channels }: marketData.GetFreshnessResponse, family: SourceFamily) {
  const name = CHANNEL_OF[family];
  const channel = channels.find((candidate) => fromProtoChannel(candidate.channel) === name);
  if (channel === undefined || !channel.reported) return null;
  return {
    channel: name,
    last_exchange_time_utc: toUtcOrNull(channel.lastExchangeTsMs),
    last_received_time_utc: toUtcOrNull(channel.lastReceivedTsMs),
    staleness_limit_ms: channel.stalenessLimitMs === 0 ? null : channel.stalenessLimitMs,
    freshness_state: fromProtoFreshness(channel.state),
    gap_total_24h: channel.gapTotal24h,
  };
}

/** Messages that the feed rejected, most frequent reason first. */
function rejectionsView({ rejectedTotal, countedSinceMs }: marketData.GetRejectionsResponse) {
  const byReason = Object.entries(rejectedTotal)
    .map(([reason, total]) => ({ reason, message_total: total }))
    .sort((a, b) => b.message_total - a.message_total || (a.reason < b.reason ? -1 : 1));
  return {
    counted_since_utc: toUtc(countedSinceMs),
    message_total: byReason.reduce((sum, { message_total }) => sum + message_total, 0),
    by_reason: byReason,
  };
}

const HOUR_MS = 3_600_000;
/** Lifetime of cached rejection counts. */
const REJECTIONS_MS = 1_000;
/** Lifetime of cached late-event counts, which are constant for a packet. */
const LATE_EVENTS_MS = 3_600_000;
const FAILURE_TTL_MS = 1_000;
const SYMBOLS_MAX = 256;

/** Late events since the log began, and in the hour up to a packet (less if fewer packets exist). */
interface LateEvents {
  readonly since_log_began_total: number;
  readonly in_span_total: number;
  readonly span_seconds: number;
}

/** Quality metadata for a packet, cached for current reads. */
export interface QualityFacts {
  /** At most one second old. Rejects with a ServiceError if the feed does not answer. */
  rejections(symbol: string): Promise<marketData.GetRejectionsResponse>;
  /** Late events up to a packet, as of an instant (0: now). Rejects with a ServiceError. */
  lateEvents(held: ServedPacket, asOfMs: number): Promise<LateEvents>;
  /** Both, if cached. */
  known(held: ServedPacket): { readonly rejections: marketData.GetRejectionsResponse; readonly lateEvents: LateEvents } | null;
}

/** @param now wall clock, milliseconds since the epoch */
export function createQualityFacts({ marketData, packets }: Pick<Upstreams, 'packets' | 'marketData'>, now: () => number): QualityFacts {
  const settings = { failureTtlMs: FAILURE_TTL_MS, entriesMax: SYMBOLS_MAX, now };
  const counts = createTtlCache<marketData.GetRejectionsResponse>({ ...settings, ttlMs: REJECTIONS_MS });
  const late = createTtlCache<LateEvents>({ ...settings, ttlMs: LATE_EVENTS_MS });

  return {
    rejections: (symbol) => counts.get(symbol, () => marketData.call.getRejections({ symbol })),
    lateEvents(held, asOfMs) {
      const read = () => readLateEvents(packets, held.packet, held.windowEndMs, asOfMs);
      return asOfMs === 0 ? late.get(held.packetId, read) : read();
    },
    known(held) {
      const [rejections, lateEvents] = [counts.peek(held.symbol), late.peek(held.packetId)];
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

interface FeatureQualityDeps extends NewestPacketDeps {
  readonly quality: QualityFacts;
}

/** Null with a note if the count is unavailable. */
async function reportedRejections(quality: QualityFacts, symbol: string, ofNow: boolean) {
  if (!ofNow) return { rejected_messages: null, rejected_messages_note: 'Counts are current and are not stored for earlier instants.' };
  try {
    return rejectionFields(await quality.rejections(symbol));
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { rejected_messages: null, rejected_messages_note: 'The feed is not responding.' };
  }
}

export function rejectionFields(rejections: marketData.GetRejectionsResponse) {
  return { rejected_messages: rejectionsView(rejections), rejected_messages_note: null };
}

interface QualityRead {
  readonly held: ServedPacket;
  readonly asOfMs: number;
  readonly nowMs: number;
  readonly channels: marketData.GetFreshnessResponse;
  readonly rejections: Awaited<ReturnType<typeof reportedRejections>>;
  readonly lateEvents: LateEvents;
}

export function qualityAnswer(call: AnswerContext, { held, asOfMs, nowMs, channels, rejections, lateEvents }: QualityRead) {
  const { source_families, ...quality } = featureQuality(held.packet, definitions);
  return packetAnswer(
    call,
    { held, isEvent: false, asOfMs, speaksToMs: held.windowEndMs, nowMs },
    {
      ...quality,
      source_families: source_families.map((family) => ({ ...family, channel: channelOf(channels, family.source_family) })),
      ...rejections,
      late_events: lateEvents,
      links: eventLinks(held.packet),
    },
  );
}

export function getFeatureQuality({ upstreams, latest, quality, now }: FeatureQualityDeps): Handler<'getFeatureQuality'> {
  return async ({ operation, grant, input }) => {
    const asOfMs = parseInstant(input.query.as_of) ?? 0;
    const held = await readNewestPacket(upstreams, latest, input.query.symbol, asOfMs);
    const [channels, rejections, lateEvents] = await Promise.all([
      readChannels(upstreams.marketData, held.symbol, asOfMs),
      reportedRejections(quality, held.symbol, asOfMs === 0 && grant?.sandbox !== true),
      quality.lateEvents(held, asOfMs),
    ]);
    return jsonRepresentation(qualityAnswer({ operation, grant }, { held, asOfMs, nowMs: now(), channels, rejections, lateEvents }));
  };
}
