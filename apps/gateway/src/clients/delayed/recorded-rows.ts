import { marketData } from '@market-state/contracts';
import { timeLimit } from '@market-state/lifecycle';
import { lossOf, eventOfRow, type MarketEvent } from '@market-state/market-data';
import { fromProtoChannel, type MarketDataClient } from '../market-data-client';

/** Look-back windows in milliseconds, tried shortest first. */
const REACHES_MS = [10_000, 60_000, 600_000, 3_600_000];

const DEADLINE_MS = 5_000;

type Kind = 'book' | 'trade' | 'context' | 'liquidation';

const CHANNEL_OF = { book: 'book', trade: 'trades', context: 'context', liquidation: 'liquidations' } as const;

type EventOf<K extends Kind> = Extract<MarketEvent, { readonly kind: K }>;

/** Rows with exchange time in the window, received by its end, in log order. */
export async function recordedRows<K extends Kind>(
  client: MarketDataClient,
  symbol: string,
  kind: K,
  startMs: number,
  endMs: number,
): Promise<EventOf<K>[]> {
  const found: EventOf<K>[] = [];
  const deadline = timeLimit(DEADLINE_MS);
  for (let pageToken = ''; ; ) {
    let next = '';
    const request = { symbol, startMs, endMs, channels: [CHANNEL_OF[kind]], asOfMs: endMs, pageSize: 5_000, pageToken };
    for await (const { rows, end } of client.call.readWindow(request, { signal: deadline })) {
      for (const { line } of rows) {
        const event = eventOfRow(JSON.parse(line.toString('utf8')));
        if (event.kind === kind) found.push(event as EventOf<K>);
      }
      next = end?.nextPageToken ?? '';
    }
    if (next === '') return found;
    pageToken = next;
  }
}

/** In log order; empty if the preceding hour has none. */
export async function lastRows<K extends Kind>(
  client: MarketDataClient,
  symbol: string,
  kind: K,
  endMs: number,
  limit: number,
): Promise<EventOf<K>[]> {
  let found: EventOf<K>[] = [];
  let fromMs = endMs;
  for (const reachMs of REACHES_MS) {
    const startMs = endMs - reachMs;
    const earlier = await recordedRows(client, symbol, kind, startMs, fromMs);
    found = [...earlier, ...found];
    if (found.length >= limit) break;
    fromMs = startMs;
  }
  return found.slice(-limit);
}

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

/** Derived from the rows recorded until then. */
export async function freshnessAsOf(client: MarketDataClient, symbol: string, asOfMs: number): Promise<marketData.GetFreshnessResponse> {
  const [now, { gaps }] = await Promise.all([
    client.call.getFreshness({ symbol }),
    client.call.listGaps({ symbol, fromMs: asOfMs - DAY_MS, toMs: asOfMs, pageSize: GAPS_MAX, pageToken: '', asOfMs }),
  ]);
  const channels = await Promise.all(now.channels.map((channel) => channelAsOf(client, symbol, channel, asOfMs, gaps)));
  return { ...now, channels, feedClockMs: Math.min(now.feedClockMs, asOfMs) };
}
