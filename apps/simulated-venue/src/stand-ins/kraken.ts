import type { BookMessage, LiquidationMessage, TradeMessage } from '@market-state/scenarios';
import { z } from 'zod';
import { parseJson } from '../protocol/requests';
import type { ClientReply, Dialect, ListingState, StreamText } from './dialect';
import type { BookChange, MarketTape, TapeStep } from './market-tape';

const PRODUCT = 'PF_SIMUSD';
const FEEDS = ['book', 'trade', 'ticker'];
const TRADES_AT_START = 100;

const request = z.object({ event: z.string(), feed: z.string(), product_ids: z.array(z.string()).default([]) });

/** Linear perpetual; every change of a level is a frame, and forced closes are trades. */
export function krakenDialect(tape: MarketTape): Dialect {
  let bookNumber = 1_000;
  let tradeNumber = 0;
  /** Forced closes take numbers of their own. */
  const numbers = new Map<number, number>();
  let sent: readonly object[] = [];

  function tradeRow({ id, tsMs: time, price, size, aggressorSide: side }: TradeMessage): object {
    const seq = numbers.get(id) ?? ++tradeNumber;
    numbers.set(id, seq);
    return {
      feed: 'trade',
      product_id: PRODUCT,
      uid: `trade-${id}`,
      side,
      type: 'fill',
      seq,
      time,
      qty: Number(size),
      price: Number(price),
    };
  }

  function liquidationRow({ id, tsMs: time, positionSide, price, size }: LiquidationMessage): object {
    const side = positionSide === 'long' ? 'sell' : 'buy';
    const seq = ++tradeNumber;
    return {
      feed: 'trade',
      product_id: PRODUCT,
      uid: `forced-${id}`,
      side,
      type: 'liquidation',
      seq,
      time,
      qty: Number(size),
      price: Number(price),
    };
  }

  function changeFrames({ tsMs: timestamp, bids, asks }: BookChange): StreamText[] {
    const sides = [...bids.map((level) => ['buy', level] as const), ...asks.map((level) => ['sell', level] as const)];
    return sides.map(([side, [price, qty]]) => {
      const row = { feed: 'book', product_id: PRODUCT, side, seq: ++bookNumber, price: Number(price), qty: Number(qty), timestamp };
      return { stream: 'book', channel: 'book', text: JSON.stringify(row) };
    });
  }

  function wholeBook({ tsMs: timestamp, bids, asks }: BookMessage): string {
    const levels = (side: BookMessage['bids']): object[] => side.map(({ price, size }) => ({ price: Number(price), qty: Number(size) }));
    const row = { feed: 'book_snapshot', product_id: PRODUCT, timestamp, seq: bookNumber, tickSize: null };
    return JSON.stringify({ ...row, bids: levels(bids), asks: levels(asks) });
  }

  function tickerText(): string | undefined {
    const { context } = tape;
    if (context === undefined) return undefined;
    return JSON.stringify({
      time: context.tsMs,
      product_id: PRODUCT,
      funding_rate: Number(context.fundingRate) * Number(context.markPrice),
      relative_funding_rate: Number(context.fundingRate),
      next_funding_rate_time: Math.ceil(tape.nextMs / 3_600_000) * 3_600_000,
      feed: 'ticker',
      index: Number(context.oraclePrice),
      last: Number(tape.trades.at(-1)?.price ?? context.markPrice),
      suspended: false,
      tag: 'perpetual',
      pair: 'SIM:USD',
      openInterest: Number(context.openInterest),
      markPrice: Number(context.markPrice),
      volumeQuote: Number(context.dayVolume),
    });
  }

  function instrumentsOf({ isListed, hasSecond, tickSize }: ListingState): readonly object[] {
    const row = (coin: string, tradeable: boolean): object => ({
      ...{ symbol: `PF_${coin}USD`, type: 'flexible_futures', tickSize: Number(tickSize), contractSize: 1, tradeable },
      ...{ openingDate: '2023-11-14T22:13:20Z', contractValueTradePrecision: 2, base: coin, quote: 'USD', pair: `${coin}:USD` },
    });
    return [...(isListed ? [row('SIM', true)] : []), row('GONE', hasSecond)];
  }

  const answered = (more: object): object => ({ result: 'success', serverTime: new Date(tape.nextMs).toISOString(), ...more });

  return {
    venue: 'kraken',
    instrument: PRODUCT,
    socketPaths: ['/ws/v1'],
    texts({ change, trades, contexts, liquidations }: TapeStep) {
      const rows = [...trades.map(tradeRow), ...liquidations.map(liquidationRow)];
      sent = [...sent, ...rows].slice(-TRADES_AT_START);
      const ticker = contexts.length > 0 ? tickerText() : undefined;
      return [
        ...rows.map((row): StreamText => ({ stream: 'trade', channel: 'trade', text: JSON.stringify(row) })),
        ...(change === undefined ? [] : changeFrames(change)),
        ...(ticker === undefined ? [] : [{ stream: 'ticker', channel: 'context' as const, text: ticker }]),
      ];
    },
    opening(stream) {
      if (stream === 'book') return tape.book === undefined ? [] : [wholeBook(tape.book)];
      if (stream === 'trade') return [JSON.stringify({ feed: 'trade_snapshot', product_id: PRODUCT, trades: sent.toReversed() })];
      const ticker = tickerText();
      return ticker === undefined ? [] : [ticker];
    },
    reply(text, { isListed }): ClientReply {
      const parsed = request.safeParse(parseJson(text));
      if (!parsed.success) return { replies: [JSON.stringify({ event: 'error', message: 'Json Parse error' })] };
      const { event, feed, product_ids: names } = parsed.data;
      if (!FEEDS.includes(feed)) return { replies: [JSON.stringify({ event: 'error', message: 'Invalid feed' })] };
      if (!isListed || names.some((name) => name !== PRODUCT))
        return { replies: [JSON.stringify({ event: 'error', message: 'Invalid product id' })] };
      const replies = [JSON.stringify({ event: event === 'subscribe' ? 'subscribed' : 'unsubscribed', feed, product_ids: names })];
      return { replies, ...(event === 'subscribe' ? { begin: [feed] } : { end: [feed] }) };
    },
    answer({ pathname }, listing) {
      const { book, context } = tape;
      const level = (levels: BookMessage['bids'] = []): number[][] =>
        levels.slice(0, 1).map(({ price, size }) => [Number(price), Number(size)]);
      switch (pathname) {
        case '/derivatives/api/v3/instruments':
          return answered({ instruments: instrumentsOf(listing) });
        case '/derivatives/api/v3/tickers':
          return answered({
            tickers: [{ symbol: PRODUCT, markPrice: Number(context?.markPrice), volumeQuote: Number(context?.dayVolume) }],
          });
        case `/derivatives/api/v3/tickers/${PRODUCT}`:
          return answered({ ticker: { symbol: PRODUCT, markPrice: Number(context?.markPrice) } });
        case '/derivatives/api/v3/orderbook':
          return answered({ orderBook: { bids: level(book?.bids), asks: level(book?.asks) } });
        case `/api/charts/v1/trade/${PRODUCT}/1m`:
          return {
            candles: tape.minutes().map(({ startMs: time, prices: [open, high, low, close], size }) => ({
              time,
              open,
              high,
              low,
              close,
              volume: size.toFixed(2),
            })),
            more_candles: false,
          };
        default:
          return undefined;
      }
    },
    /** The numbers of the book jump. */
    restart() {
      bookNumber += 1_000_000;
      return [];
    },
  };
}
