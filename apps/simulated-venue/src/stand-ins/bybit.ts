import type { BookMessage, ContextMessage, TradeMessage } from '@market-state/scenarios';
import { z } from 'zod';
import { parseJson } from '../protocol/requests';
import type { ClientReply, Dialect, ListingState, StreamText } from './dialect';
import type { Level, MarketTape, TapeStep } from './market-tape';

const BOOK = 'orderbook.200';
const INTERVAL_HOURS = 8;

const request = z.object({ op: z.string(), args: z.array(z.string()).default([]), req_id: z.string().default('') });

interface BybitOptions {
  readonly tape: MarketTape;
  readonly isInverse: boolean;
}

/** Linear: sizes in the coin. Inverse: contracts of 1 US dollar. */
export function bybitDialect({ tape, isInverse }: BybitOptions): Dialect {
  const instrument = isInverse ? 'SIMUSD' : 'SIMUSDT';
  const category = isInverse ? 'inverse' : 'linear';
  const topics = { book: `${BOOK}.${instrument}`, trade: `publicTrade.${instrument}`, tickers: `tickers.${instrument}` };
  const liquidations = `allLiquidation.${instrument}`;
  let updateId = 1_000;
  let sequence = 753_843_900_000;
  let ticker: Readonly<Record<string, string>> = {};

  const quantity = (price: string, size: string): string => (isInverse ? String(Math.round(Number(price) * Number(size))) : size);
  const levelsOf = (levels: readonly Level[]): Level[] =>
    levels.map(([price, size]) => [price, size === '0' ? '0' : quantity(price, size)]);

  function bookFrame(type: 'snapshot' | 'delta', tsMs: number, bids: readonly Level[], asks: readonly Level[]): string {
    const data = { s: instrument, b: levelsOf(bids), a: levelsOf(asks), u: updateId, seq: ++sequence };
    return JSON.stringify({ topic: topics.book, type, ts: tsMs + 1, data, cts: tsMs });
  }

  function wholeBook({ tsMs, bids, asks }: BookMessage): string {
    const pairs = (levels: BookMessage['bids']): Level[] => levels.map(({ price, size }) => [price, size]);
    return bookFrame('snapshot', tsMs, pairs(bids), pairs(asks));
  }

  function tradeRow({ tsMs, id, price, size, aggressorSide }: TradeMessage) {
    const S = aggressorSide === 'buy' ? 'Buy' : 'Sell';
    return {
      T: tsMs,
      s: instrument,
      S,
      v: quantity(price, size),
      p: price,
      L: 'ZeroPlusTick',
      i: tradeId(id),
      BT: false,
      RPI: false,
      seq: ++sequence,
    };
  }

  function tradeId(id: number): string {
    return `00000000-0000-5000-8000-${id.toString(16).padStart(12, '0')}`;
  }

  function tickerOf({ fundingRate, openInterest, markPrice, oraclePrice, dayVolume }: ContextMessage): Record<string, string> {
    return {
      lastPrice: tape.trades.at(-1)?.price ?? markPrice,
      markPrice,
      indexPrice: oraclePrice,
      openInterest: quantity(markPrice, openInterest),
      turnover24h: isInverse ? '0' : dayVolume,
      volume24h: isInverse ? dayVolume : '0',
      fundingIntervalHour: String(INTERVAL_HOURS),
      fundingRate,
      nextFundingTime: String(Math.ceil(tape.nextMs / 28_800_000) * 28_800_000),
    };
  }

  function tickerFrame(type: 'snapshot' | 'delta', tsMs: number, fields: object): string {
    return JSON.stringify({ topic: topics.tickers, type, data: { symbol: instrument, ...fields }, cs: ++sequence, ts: tsMs });
  }

  function contextTexts(context: ContextMessage): StreamText[] {
    const next = tickerOf(context);
    const changed = Object.fromEntries(Object.entries(next).filter(([name, value]) => ticker[name] !== value));
    ticker = next;
    return Object.keys(changed).length === 0
      ? []
      : [{ stream: topics.tickers, channel: 'context', text: tickerFrame('delta', context.tsMs, changed) }];
  }

  function list(rows: readonly unknown[], more: object = {}): unknown {
    return { retCode: 0, retMsg: 'OK', result: { category, list: rows, ...more }, retExtInfo: {}, time: tape.nextMs };
  }

  function instrumentsOf({ isListed, hasSecond, tickSize }: ListingState): readonly object[] {
    const row = (symbol: string, status: string): object => ({
      symbol,
      contractType: isInverse ? 'InversePerpetual' : 'LinearPerpetual',
      status,
      baseCoin: symbol.slice(0, isInverse ? -3 : -4),
      quoteCoin: isInverse ? 'USD' : 'USDT',
      launchTime: '1700000000000',
      deliveryTime: '0',
      priceFilter: { minPrice: tickSize, maxPrice: '1999999.8', tickSize },
      lotSizeFilter: { maxOrderQty: '100000', minOrderQty: isInverse ? '1' : '0.01', qtyStep: isInverse ? '1' : '0.01' },
      fundingInterval: INTERVAL_HOURS * 60,
      settleCoin: isInverse ? symbol.slice(0, -3) : 'USDT',
    });
    return [...(isListed ? [row(instrument, 'Trading')] : []), row(isInverse ? 'GONEUSD' : 'GONEUSDT', hasSecond ? 'Trading' : 'Closed')];
  }

  return {
    venue: isInverse ? 'bybit-inverse' : 'bybit',
    instrument,
    socketPaths: [`/v5/public/${category}`],
    texts({ change, trades, contexts, liquidations: forced }: TapeStep) {
      if (change !== undefined) updateId++;
      return [
        ...(trades.length > 0
          ? [
              {
                stream: topics.trade,
                channel: 'trade' as const,
                text: JSON.stringify({ topic: topics.trade, type: 'snapshot', ts: trades.at(-1)?.tsMs, data: trades.map(tradeRow) }),
              },
            ]
          : []),
        ...(change === undefined
          ? []
          : [{ stream: topics.book, channel: 'book' as const, text: bookFrame('delta', change.tsMs, change.bids, change.asks) }]),
        ...contexts.flatMap(contextTexts),
        ...forced.map(({ tsMs: T, positionSide, price: p, size }) => {
          const data = [{ T, s: instrument, S: positionSide === 'long' ? 'Buy' : 'Sell', v: quantity(p, size), p }];
          const text = JSON.stringify({ topic: liquidations, type: 'snapshot', ts: T, data });
          return { stream: liquidations, channel: 'liquidation' as const, text };
        }),
      ];
    },
    opening(stream) {
      if (stream === topics.book) return tape.book === undefined ? [] : [wholeBook(tape.book)];
      if (stream !== topics.tickers || tape.context === undefined) return [];
      return [tickerFrame('snapshot', tape.context.tsMs, tickerOf(tape.context))];
    },
    reply(text, { isListed }): ClientReply {
      const { op, args, req_id: id } = request.safeParse(parseJson(text)).data ?? { op: '', args: [], req_id: '' };
      const answer = (success: boolean, message: string): string =>
        JSON.stringify({ success, ret_msg: message, conn_id: 'simulated', req_id: id, op });
      if (op === '') return { replies: [answer(false, 'error:request is not valid')] };
      if (op === 'ping') return { replies: [answer(true, 'pong')] };
      const known = new Set([...Object.values(topics), liquidations]);
      const unknown = args.find((topic) => !isListed || !known.has(topic));
      if (unknown !== undefined) return { replies: [answer(false, `error:handler not found,topic:${unknown}`)] };
      return { replies: [answer(true, '')], ...(op === 'subscribe' ? { begin: args } : { end: args }) };
    },
    answer({ pathname, searchParams }, listing) {
      if (searchParams.get('category') !== category) return undefined;
      const { book, context } = tape;
      switch (pathname) {
        case '/v5/market/instruments-info':
          return list(instrumentsOf(listing), { nextPageCursor: '' });
        case '/v5/market/tickers':
          return list(context === undefined ? [] : [{ symbol: instrument, ...tickerOf(context) }]);
        case '/v5/market/recent-trade':
          return list(
            tape.trades
              .slice(-1_000)
              .toReversed()
              .map(({ id, tsMs, price, size, aggressorSide }) => ({
                execId: tradeId(id),
                symbol: instrument,
                price,
                size: quantity(price, size),
                side: aggressorSide === 'buy' ? 'Buy' : 'Sell',
                time: String(tsMs),
                isBlockTrade: false,
              })),
          );
        case '/v5/market/orderbook':
          return {
            retCode: 0,
            retMsg: 'OK',
            result: {
              s: instrument,
              b: levelsOf((book?.bids ?? []).slice(0, 1).map(({ price, size }): Level => [price, size])),
              a: levelsOf((book?.asks ?? []).slice(0, 1).map(({ price, size }): Level => [price, size])),
              ts: book?.tsMs,
              u: updateId,
              seq: sequence,
              cts: book?.tsMs,
            },
            time: tape.nextMs,
          };
        case '/v5/market/kline':
          return list(
            tape
              .minutes()
              .toReversed()
              .map(({ startMs, prices, size }) => {
                const volume = isInverse ? size * Number(prices[3]) : size;
                return [String(startMs), ...prices, volume.toFixed(isInverse ? 0 : 2), '0'];
              }),
          );
        default:
          return undefined;
      }
    },
    /** The venue's service restarts its numbers with a whole book of number 1. */
    restart() {
      updateId = 1;
      return tape.book === undefined ? [] : [{ stream: topics.book, channel: 'book', text: wholeBook(tape.book) }];
    },
  };
}
