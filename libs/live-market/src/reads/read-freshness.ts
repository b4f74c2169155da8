import { marketData } from '@market-state/contracts';
import { type Channel, CHANNELS } from '@market-state/market-data';
import { ALL_CHANNELS, type GapTotals, SEAMS } from '../gap-spans';
import { toProtoChannel, toProtoSourceKind } from '../proto-names';
import type { ReadVenue } from '../read-venue';
import type { SymbolMarket } from '../symbol-market';

const DAY_MS = 86_400_000;
const DATA_CHANNELS = CHANNELS.filter((channel) => channel !== 'control');

/** The span whose gaps are counted: the last 24 h of the feed's clock. */
export function dayUpToNow({ clock }: SymbolMarket): { readonly fromMs: number; readonly toMs: number } {
  const toMs = clock.nowMs() ?? 0;
  return { fromMs: toMs - DAY_MS, toMs };
}

/** Ages by the feed's clock, and the gaps of the last 24 h; null where those can't be counted from what is held. */
export function readFreshness(market: SymbolMarket, venue: ReadVenue): marketData.GetFreshnessResponse | null {
  const { fromMs, toMs } = dayUpToNow(market);
  return market.gaps.isWhole ? freshnessWith(market, venue, market.gaps.totals(fromMs, toMs)) : null;
}

/** As `readFreshness`, of gaps that were counted elsewhere. */
export function freshnessWith(market: SymbolMarket, venue: ReadVenue, gaps: GapTotals): marketData.GetFreshnessResponse {
  return {
    symbol: market.symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    channels: DATA_CHANNELS.map((channel) => freshnessOf(channel, market, venue, gaps)),
    feedClockMs: market.clock.nowMs() ?? 0,
  };
}

function freshnessOf(channel: Channel, market: SymbolMarket, venue: ReadVenue, gaps: GapTotals): marketData.ChannelFreshness {
  const last = market.lastSeen(channel);
  const reported = venue.channels.includes(channel);
  const freshnessMs = last === undefined ? 0 : market.clock.ageMs(last.exchangeTsMs);
  const stalenessLimitMs = venue.stalenessMs(channel);
  const isStale = market.isDisconnected || (stalenessLimitMs > 0 && freshnessMs > stalenessLimitMs);
  return {
    channel: toProtoChannel(channel),
    lastExchangeTsMs: last?.exchangeTsMs ?? 0,
    lastReceivedTsMs: last?.receivedTsMs ?? 0,
    freshnessMs,
    stalenessLimitMs,
    state:
      !reported || last === undefined
        ? marketData.FreshnessState.MISSING
        : isStale
          ? marketData.FreshnessState.STALE
          : marketData.FreshnessState.FRESH,
    gapTotal24h: (gaps.get(channel) ?? 0) + (gaps.get(ALL_CHANNELS) ?? 0),
    reported,
    seamTotal24h: gaps.get(SEAMS) ?? 0,
  };
}
