import { marketData } from '@market-state/contracts';
import { type Channel, CHANNELS } from '@market-state/market-data';
import { beforeDeadline } from '@market-state/lifecycle';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { SymbolMarket } from '../market/symbol-market';
import type { VenueView } from '../market/venue';
import { ALL_CHANNELS, countGaps, type GapTotals, SEAMS } from '../store/gaps';
import type { RpcDeps } from './deps';
import { toProtoChannel, toProtoSourceKind } from './to-proto';

const DAY_MS = 86_400_000;
/** Time the ledger has: what memory knows is worth more than a late answer. */
const LEDGER_MS_MAX = 500;
const DATA_CHANNELS = CHANNELS.filter((channel) => channel !== 'control');

/** Ages by the feed's clock, and the gaps of the last 24 h from the ledger; while that is out of reach, from memory. */
export async function getFreshness(deps: RpcDeps, { symbol }: marketData.GetFreshnessRequest): Promise<marketData.GetFreshnessResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const toMs = market.clock.nowMs() ?? 0;
  const fromMs = toMs - DAY_MS;
  const gaps = await beforeDeadline(LEDGER_MS_MAX, countGaps(deps.pool, symbol, fromMs, toMs)).catch(() =>
    market.gaps.totals(fromMs, toMs),
  );
  return {
    symbol,
    venue: venue.venue,
    sourceKind: toProtoSourceKind(venue.sourceKind),
    channels: DATA_CHANNELS.map((channel) => freshnessOf(channel, market, venue, gaps)),
    // Read with the channels, after the wait: nothing was received after it.
    feedClockMs: market.clock.nowMs() ?? 0,
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
