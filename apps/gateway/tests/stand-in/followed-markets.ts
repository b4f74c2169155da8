import type { marketData } from '@market-state/contracts';
import { delay } from '@market-state/lifecycle';
import {
  gapFrames,
  marketFrames,
  readBook,
  readContext,
  readFreshness,
  readLiquidations,
  readTrades,
  type ReadVenue,
  SymbolMarket,
} from '@market-state/live-market';
import { encodeEvent, type MarketEvent } from '@market-state/market-data';

type Frame = marketData.FollowMarketResponse;

const HEARTBEAT_MS = 200;

/** Markets of a stand-in data plane, for reads and followers. */
export interface FollowedMarkets {
  /** Serves the symbol's current reads from this market. */
  open(symbol: string, venue: ReadVenue): SymbolMarket;
  /** Applies an event and sends it to followers. */
  report(event: MarketEvent): void;
  /** Sends a symbol's gaps as its ledger has them. */
  readLedger(symbol: string): void;
  /** Breaks every stream, and refuses new ones until called with false. */
  setCut(isCut: boolean): void;
  /** Sends nothing more, not even heartbeats. */
  setMute(isMute: boolean): void;
  /** Open streams. */
  followerTotal(): number;
  follow(symbol: string, signal: AbortSignal): AsyncGenerator<Frame>;
  readonly reads: {
    book(request: marketData.GetBookRequest): marketData.GetBookResponse | null;
    trades(request: marketData.ListTradesRequest): marketData.ListTradesResponse | null;
    context(request: marketData.GetActiveAssetRequest): marketData.GetActiveAssetResponse | null;
    liquidations(request: marketData.GetLiquidationsRequest): marketData.GetLiquidationsResponse | null;
    freshness(request: marketData.GetFreshnessRequest): marketData.GetFreshnessResponse | null;
  };
}

export function createFollowedMarkets(): FollowedMarkets {
  const open = new Map<string, { readonly market: SymbolMarket; readonly venue: ReadVenue }>();
  const followers = new Set<{ readonly symbol: string; push(frame: Frame): void; cut(): void }>();
  let isCut = false;
  let isMute = false;

  function read<Request, Response>(
    answer: (market: SymbolMarket, venue: ReadVenue, request: Request) => Response | null,
  ): (request: Request & { readonly symbol: string }) => Response | null {
    return (request) => {
      const live = open.get(request.symbol);
      return live === undefined ? null : answer(live.market, live.venue, request);
    };
  }

  return {
    open(symbol, venue) {
      const market = new SymbolMarket(symbol, () => 0);
      open.set(symbol, { market, venue });
      return market;
    },
    report(event) {
      open.get(event.symbol)?.market.apply(event);
      for (const follower of followers)
        if (follower.symbol === event.symbol)
          follower.push({ frame: { $case: 'entries', value: { entries: [Buffer.from(encodeEvent(event))] } } });
    },
    readLedger(symbol) {
      const market = open.get(symbol)?.market;
      for (const follower of followers)
        if (market !== undefined && follower.symbol === symbol) for (const frame of gapFrames(market)) follower.push(frame);
    },
    setCut(next) {
      isCut = next;
      if (isCut) for (const follower of followers) follower.cut();
    },
    setMute: (next) => void (isMute = next),
    followerTotal: () => followers.size,
    async *follow(symbol, signal) {
      if (isCut) throw new Error('cut');
      const live = open.get(symbol);
      const stop = new AbortController();
      const waiting: Frame[] = live === undefined ? [] : [...marketFrames(live.market, live.venue), ...gapFrames(live.market)];
      const follower = { symbol, push: (frame: Frame) => void waiting.push(frame), cut: () => stop.abort() };
      followers.add(follower);
      let heartbeatMs = Date.now();
      try {
        while (!signal.aborted && !stop.signal.aborted) {
          if (!isMute) {
            yield* waiting.splice(0);
            if (Date.now() - heartbeatMs >= HEARTBEAT_MS) {
              heartbeatMs = Date.now();
              yield { frame: { $case: 'heartbeat', value: {} } };
            }
          }
          await delay(5, signal).catch(() => undefined);
        }
        if (stop.signal.aborted) throw new Error('cut');
      } finally {
        followers.delete(follower);
      }
    },
    reads: {
      book: read(readBook),
      trades: read(readTrades),
      context: read(readContext),
      liquidations: read(readLiquidations),
      freshness: read(readFreshness),
    },
  };
}
