import { isServiceError } from '@market-state/errors';
import type { marketData } from '@market-state/contracts';
import { COVERAGE_SPAN_MS } from '@market-state/packet-views';
import { fromProtoChannel } from '../../../clients/channel-name';
import type { MarketDataClient } from '../../../clients/market-data-client';
import { newestPacket, type PacketClient } from '../../../clients/packet-client';
import { fromProtoPacket } from '../../../clients/served-packet';
import { fromProtoSourceKind } from '../../../clients/source-kind';
import { toUtc } from '../../../serving/meta/instant';
import { symbolFreshness } from '../../../serving/answers/symbol-freshness';
import { channelQuality } from './channel-quality';
import type { Described } from '../../../serving/openapi/described';

const PAGE_SIZE = 1_000;
/** Control entries are the service's own and rest for hours: they say nothing of a source. */
const OWN_CHANNEL = 'control';

/** Every gap of the last day of the feed clock. */
async function gapsOf(client: MarketDataClient, symbol: string, feedClockMs: number): Promise<marketData.Gap[]> {
  const gaps: marketData.Gap[] = [];
  let pageToken = '';
  do {
    const page = await client.call.listGaps({
      symbol,
      fromMs: Math.max(0, feedClockMs - COVERAGE_SPAN_MS),
      toMs: 0,
      pageSize: PAGE_SIZE,
      pageToken,
      asOfMs: 0,
    });
    gaps.push(...page.gaps);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return gaps;
}

/** How the newest packet judged its sources; null before the first packet, and while labeling is away. */
async function packetWord(client: PacketClient, symbol: string): Promise<Described<'PacketSourceWord'>> {
  try {
    const { eventId, windowEndMs, packet } = fromProtoPacket(await newestPacket(client, symbol, 0));
    const { quality_class, quality_score, source_support_ratio, gap_flags } = packet.packet_quality;
    return {
      event_id: eventId,
      window_end_utc: toUtc(windowEndMs),
      source_quality_class: packet.source_quality_class,
      quality_class,
      quality_score,
      source_support_ratio,
      gap_flags,
    };
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}

/**
 * Quality of the source of one symbol: each channel by freshness and gaps, and what its newest packet said of it. Null where nothing is
 * kept from then.
 */
export async function symbolQuality(...args: Parameters<typeof readQuality>): Promise<Awaited<ReturnType<typeof readQuality>> | null> {
  try {
    return await readQuality(...args);
  } catch (error) {
    if (isServiceError(error) && error.reason === 'beyond_retention') return null;
    throw error;
  }
}

async function readQuality(
  marketDataClient: MarketDataClient,
  packets: PacketClient,
  symbol: string,
  catalog: marketData.GetCatalogResponse,
): Promise<Described<'SymbolQuality'>> {
  const freshness = await marketDataClient.call.getFreshness({ symbol });
  const { feedClockMs, venue } = freshness;
  const [gaps, packet] = await Promise.all([gapsOf(marketDataClient, symbol, feedClockMs), packetWord(packets, symbol)]);
  const kept = catalog.symbols.find((entry) => entry.symbol === symbol)?.channels ?? [];
  const channels = freshness.channels.flatMap((channel) => {
    const name = fromProtoChannel(channel.channel);
    if (name === null || name === OWN_CHANNEL) return [];
    const touching = gaps.filter((gap) => gap.channel === '' || gap.channel === name);
    return [
      channelQuality({
        name,
        freshness: channel,
        source: freshness,
        gaps: touching,
        firstMs: kept.find((entry) => entry.channel === name)?.firstMs ?? 0,
        feedClockMs,
      }),
    ];
  });
  return {
    symbol,
    venue,
    source_kind: fromProtoSourceKind(freshness.sourceKind),
    feed_clock_utc: toUtc(feedClockMs),
    freshness_state: symbolFreshness(freshness.channels.filter((channel) => fromProtoChannel(channel.channel) !== null)),
    channels,
    newest_packet: packet,
  };
}
