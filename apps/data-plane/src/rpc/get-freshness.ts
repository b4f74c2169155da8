import { marketData } from '@market-state/contracts';
import { type Channel, CHANNELS } from '@market-state/market-data';
import type { SymbolMarket } from '../market/symbol-market';
import { type VenueView, venueOf } from '../market/venue';
import { ALL_CHANNELS, countGaps, type GapTotals } from '../store/gaps';
import type { RpcDeps } from './deps';
import { refuseFaults, symbolFaults } from './request-faults';
import { toProtoChannel, toProtoSourceKind } from './to-proto';

const DAY_MS = 86_400_000;
const DATA_CHANNELS = CHANNELS.filter((channel) => channel !== 'control');

/** Ages by the feed's clock, and the gaps of the last 24 h from the ledger. */
export async function getFreshness(deps: RpcDeps, { symbol }: marketData.GetFreshnessRequest): Promise<marketData.GetFreshnessResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = deps.tail.marketOf(symbol);
  const venue = venueOf(symbol, market);
  const feedClockMs = market.clock.nowMs() ?? 0;
  const gaps = await countGaps(deps.pool, symbol, feedClockMs - DAY_MS, feedClockMs);
  return {
    symbol,
    venue: venue.instrument.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    channels: DATA_CHANNELS.map((channel) => freshnessOf(channel, market, venue, gaps)),
    feedClockMs,
  };
}

function freshnessOf(channel: Channel, market: SymbolMarket, venue: VenueView, gaps: GapTotals): marketData.ChannelFreshness {
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
    state: !reported || last === undefined ? marketData.FreshnessState.MISSING : isStale ? marketData.FreshnessState.STALE : marketData.FreshnessState.FRESH,
    gapTotal24h: (gaps.get(channel) ?? 0) + (gaps.get(ALL_CHANNELS) ?? 0),
    reported,
  };
}
