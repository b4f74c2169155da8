import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import { COVERAGE_SPAN_MS, channelCoverage, type LedgerGap } from '@market-state/packet-views';
import type { DataHealthWatch } from '../../clients/data-health';
import { servedSymbols, type MarketDataClient, fromProtoSourceKind, fromProtoChannel } from '../../clients/market-data-client';
import type { Upstreams } from '../../clients/upstreams';
import { createTtlCache } from '../../caches/ttl-cache';
import { jsonRepresentation } from '../../serving/http/representation';
import { operationById } from '../../serving/openapi/operations';
import { dataAnswer, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { newestPacket, type PacketClient, fromProtoPacket } from '../../clients/packet-client';
import { toUtc, toUtcOrNull } from '../../serving/meta/meta';
import {
  symbolFreshness,
  absenceOfChannel,
  type SourceOfChannel,
  clockSkew,
  fromProtoFreshness,
} from '../../serving/answers/symbol-freshness';
import type { Described } from '../../serving/openapi/document';

type Channel = Described<'ChannelQuality'>;

interface ChannelReport {
  readonly name: Channel['channel'];
  readonly freshness: marketData.ChannelFreshness;
  readonly source: SourceOfChannel;
  /** Gaps and seams of the channel in the span. */
  readonly gaps: readonly LedgerGap[];
  /** Exchange time of the oldest stored row; 0 if there is none. */
  readonly firstMs: number;
  readonly feedClockMs: number;
}

export function channelQuality({ name, freshness, source, gaps, firstMs, feedClockMs }: ChannelReport): Channel {
  const { reported, stalenessLimitMs } = freshness;
  const state = fromProtoFreshness(freshness.state);
  const coverage = channelCoverage({ reported, isFresh: state === 'fresh', gaps, firstMs, feedClockMs });
  return {
    channel: name,
    reported,
    absence: absenceOfChannel(freshness, source),
    quality_class: coverage.qualityClass,
    freshness_state: state,
    last_received_time_utc: toUtcOrNull(freshness.lastReceivedTsMs),
    freshness_ms: freshness.lastExchangeTsMs === 0 ? null : freshness.freshnessMs,
    ...clockSkew(freshness.lastExchangeTsMs, freshness.lastReceivedTsMs),
    staleness_limit_ms: stalenessLimitMs === 0 ? null : stalenessLimitMs,
    observed_seconds: reported ? Math.round(coverage.observedMs / 1_000) : null,
    covered_share: coverage.share,
    gap_total: reported ? coverage.gapTotal : null,
    open_gap_total: reported ? coverage.openGapTotal : null,
    gap_seconds: reported ? Math.round(coverage.lostMs) / 1_000 : null,
    seam_total: reported ? coverage.seamTotal : null,
  };
}

const PAGE_SIZE = 1_000;
/** Control entries come from the service itself, possibly hours apart, and are not evidence of source quality. */
const OWN_CHANNEL = 'control';

/** Gaps in the last day of the feed clock. */
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

/** Null before the first packet or while labeling is unavailable. */
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

/** Null if that time is no longer retained. */
async function symbolQuality(...args: Parameters<typeof readQuality>): Promise<Awaited<ReturnType<typeof readQuality>> | null> {
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

/** Refresh intervals; the preview describes data from ten minutes ago, so it refreshes less often. */
const READ_EVERY_MS = 5_000;
const READ_PREVIEW_EVERY_MS = 60_000;

interface SourceQualityDeps extends Pick<Upstreams, 'marketData' | 'packets'> {
  readonly dataHealth: Pick<DataHealthWatch, 'current'>;
  readonly now: () => number;
}

/** The preview reports as of 600 s ago. */
export function getSourceQuality(
  { marketData, packets, dataHealth, now }: SourceQualityDeps,
  preview = false,
): Handler<'getSourceQuality'> {
  const cache = createTtlCache<Awaited<ReturnType<typeof read>>>({ ttlMs: preview ? READ_PREVIEW_EVERY_MS : READ_EVERY_MS, now });

  async function read() {
    const [served, catalog] = await Promise.all([servedSymbols(marketData), marketData.call.getCatalog({ asOfMs: 0 })]);
    const read = await Promise.all(
      served.map(async ({ symbol }) => ({ symbol, quality: await symbolQuality(marketData, packets, symbol, catalog) })),
    );
    const withoutRows = read.filter(({ quality }) => quality === null).map(({ symbol }) => symbol);
    return { readMs: now(), served, symbols: read.flatMap(({ quality }) => quality ?? []), withoutRows };
  }

  return async (call) => {
    const { readMs, served, symbols, withoutRows } = await cache.get('', read);
    const notFresh = symbols.filter(({ freshness_state: state }) => state !== 'fresh').map(({ symbol }) => symbol);
    const fields = {
      span_seconds: COVERAGE_SPAN_MS / 1_000,
      symbol_total: symbols.length,
      symbols,
      symbols_without_rows: withoutRows,
      public_preview_route: operationById('getDemoSourceQuality').path,
    };
    const remark = notFresh.length === 0 ? 'All symbols are fresh.' : `Not fresh: ${notFresh.join(', ')}.`;
    const source = {
      ...serviceSource(served, dataHealth, readMs),
      ...(notFresh.length === 0 ? {} : { state: 'stale' as const }),
      remark,
      preview,
    };
    return jsonRepresentation(dataAnswer(call, source, fields));
  };
}
