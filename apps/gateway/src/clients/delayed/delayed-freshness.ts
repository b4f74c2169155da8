import { marketData } from '@market-state/contracts';
import { lossOf } from '@market-state/market-data';
import { fromProtoChannel } from '../channel-name';
import type { MarketDataClient } from '../market-data-client';
import { lastRows } from './recorded-rows';

const DAY_MS = 86_400_000;
const GAPS_MAX = 1_000;

const KINDS = { book: 'book', trades: 'trade', context: 'context', liquidations: 'liquidation' } as const;

async function channelAsOf(
  client: MarketDataClient,
  symbol: string,
  channel: marketData.ChannelFreshness,
  asOfMs: number,
  gaps: readonly marketData.Gap[],
): Promise<marketData.ChannelFreshness> {
  const name = fromProtoChannel(channel.channel);
  const touching = gaps.filter(({ channel: of, resolution }) => (of === '' || of === name) && resolution !== 'withdrawn');
  const seamTotal24h = touching.filter((gap) => lossOf(gap) === 'none').length;
  const gapTotal24h = touching.length - seamTotal24h;
  const kind = name === null ? undefined : KINDS[name as keyof typeof KINDS];
  const [last] = kind === undefined || !channel.reported ? [] : await lastRows(client, symbol, kind, asOfMs, 1);
  if (last === undefined)
    return {
      ...channel,
      lastExchangeTsMs: 0,
      lastReceivedTsMs: 0,
      freshnessMs: 0,
      state: marketData.FreshnessState.MISSING,
      gapTotal24h,
      seamTotal24h,
    };
  const freshnessMs = Math.max(0, asOfMs - last.receivedTsMs);
  const fresh = channel.stalenessLimitMs === 0 || freshnessMs <= channel.stalenessLimitMs;
  return {
    ...channel,
    lastExchangeTsMs: last.exchangeTsMs,
    lastReceivedTsMs: last.receivedTsMs,
    freshnessMs,
    state: fresh ? marketData.FreshnessState.FRESH : marketData.FreshnessState.STALE,
    gapTotal24h,
    seamTotal24h,
  };
}

/** How fresh each channel was at an instant, by the rows recorded until then. */
export async function freshnessAsOf(client: MarketDataClient, symbol: string, asOfMs: number): Promise<marketData.GetFreshnessResponse> {
  const [now, { gaps }] = await Promise.all([
    client.call.getFreshness({ symbol }),
    client.call.listGaps({ symbol, fromMs: asOfMs - DAY_MS, toMs: asOfMs, pageSize: GAPS_MAX, pageToken: '', asOfMs }),
  ]);
  const channels = await Promise.all(now.channels.map((channel) => channelAsOf(client, symbol, channel, asOfMs, gaps)));
  return { ...now, channels, feedClockMs: Math.min(now.feedClockMs, asOfMs) };
}
