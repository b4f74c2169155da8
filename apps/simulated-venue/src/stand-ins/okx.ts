import type { BookMessage, TradeMessage } from '@market-state/scenarios';
import { z } from 'zod';
import { parseJson } from '../protocol/requests';
import type { ClientReply, Dialect, ListingState, StreamText } from './dialect';
import type { Level, MarketTape, TapeStep } from './market-tape';

const SWAP = 'SIM-USDT-SWAP';
const INDEX = 'SIM-USDT';
/** Coins per contract. */
const CONTRACT = 0.1;
const EIGHT_HOURS_MS = 28_800_000;
/** `seqId` rises by more than one a frame. */
const STRIDE = 7;

const argument = z.looseObject({ channel: z.string(), instId: z.string().optional(), instType: z.string().optional() });
const request = z.object({ op: z.string(), args: z.array(argument) });

type Argument = z.output<typeof argument>;

function refused(code: string, msg: string): string {
  return JSON.stringify({ event: 'error', code, msg, connId: 'simulated' });
}

function streamOf({ channel, instId }: Argument): string {
  return `${channel} ${instId ?? ''}`;
}

/** Linear swap of one coin, in contracts of 0.1. */
export function okxDialect(tape: MarketTape): Dialect {
  let sequence = 1_000;

  const contracts = (size: string): string => String(Math.round((Number(size) / CONTRACT) * 1_000) / 1_000);
  const rowsOf = (levels: readonly Level[]): string[][] =>
    levels.map(([price, size]) => [price, size === '0' ? '0' : contracts(size), '0', '1']);
  const pairs = (levels: BookMessage['bids']): Level[] => levels.map(({ price, size }) => [price, size]);

  function frame(channel: string, instId: string, row: object, more: object = {}): string {
    return JSON.stringify({ arg: { channel, instId }, ...more, data: [row] });
  }

  function text(channel: string, kind: StreamText['channel'], row: object, instId = SWAP): StreamText {
    return { stream: `${channel} ${instId}`, channel: kind, text: frame(channel, instId, row) };
  }

  function bookFrame(
    action: 'snapshot' | 'update',
    prevSeqId: number,
    tsMs: number,
    bids: readonly Level[],
    asks: readonly Level[],
  ): string {
    const row = { asks: rowsOf(asks), bids: rowsOf(bids), ts: String(tsMs), checksum: 0, prevSeqId, seqId: sequence };
    return frame('books', SWAP, row, { action });
  }

  function tradeRow({ id, tsMs, price: px, size, aggressorSide: side }: TradeMessage) {
    return { instId: SWAP, tradeId: String(id), px, sz: contracts(size), side, ts: String(tsMs), source: '0' };
  }

  function fundingRow(tsMs: number) {
    const fundingTime = Math.ceil(tsMs / EIGHT_HOURS_MS) * EIGHT_HOURS_MS;
    const { fundingRate = '0.0001' } = tape.context ?? {};
    const times = { fundingTime: String(fundingTime), nextFundingTime: String(fundingTime + EIGHT_HOURS_MS) };
    return { instType: 'SWAP', instId: SWAP, fundingRate, nextFundingRate: '', ...times, ts: String(tsMs) };
  }

  function contextTexts(): StreamText[] {
    const { context } = tape;
    if (context === undefined) return [];
    const { tsMs, markPrice: markPx, oraclePrice: idxPx, openInterest: oiCcy } = context;
    const ts = String(tsMs);
    return [
      text('funding-rate', 'context', fundingRow(tsMs)),
      text('open-interest', 'context', { instType: 'SWAP', instId: SWAP, oi: contracts(oiCcy), oiCcy, ts }),
      text('index-tickers', 'context', { instId: INDEX, idxPx, ts }, INDEX),
      text('tickers', 'context', { instType: 'SWAP', instId: SWAP, last: tape.trades.at(-1)?.price ?? markPx, ts }),
      text('mark-price', 'context', { instType: 'SWAP', instId: SWAP, markPx, ts }),
    ];
  }

  function list(data: readonly unknown[]): unknown {
    return { code: '0', msg: '', data };
  }

  function instrumentsOf({ isListed, hasSecond, tickSize }: ListingState): readonly object[] {
    const row = (coin: string, state: string): object => ({
      ...{ instType: 'SWAP', instId: `${coin}-USDT-SWAP`, uly: `${coin}-USDT`, instFamily: `${coin}-USDT`, settleCcy: 'USDT' },
      ...{ ctType: 'linear', ctVal: String(CONTRACT), ctMult: '1', ctValCcy: coin, tickSz: tickSize, lotSz: '0.1', minSz: '0.1' },
      ...{ listTime: '1700000000000', expTime: '', state },
    });
    return [...(isListed ? [row('SIM', 'live')] : []), row('GONE', hasSecond ? 'live' : 'suspend')];
  }

  return {
    venue: 'okx',
    instrument: SWAP,
    socketPaths: ['/ws/v5/public', '/ws/v5/business'],
    texts({ change, trades, contexts, liquidations }: TapeStep) {
      const before = sequence;
      if (change !== undefined) sequence += STRIDE;
      const books = change && bookFrame('update', before, change.tsMs, change.bids, change.asks);
      return [
        ...trades.map((trade) => text('trades-all', 'trade', tradeRow(trade))),
        ...(books === undefined ? [] : [{ stream: `books ${SWAP}`, channel: 'book' as const, text: books }]),
        ...(contexts.length > 0 ? contextTexts() : []),
        ...liquidations.map(({ tsMs, positionSide: posSide, price: bkPx, size }) => {
          const side = posSide === 'long' ? 'sell' : 'buy';
          const details = [{ bkLoss: '0', bkPx, ccy: '', posSide, side, sz: contracts(size), ts: String(tsMs) }];
          const data = [{ details, instFamily: INDEX, instId: SWAP, instType: 'SWAP', uly: INDEX }];
          const arg = { channel: 'liquidation-orders', instType: 'SWAP' };
          return { stream: 'liquidation-orders ', channel: 'liquidation' as const, text: JSON.stringify({ arg, data }) };
        }),
      ];
    },
    opening(stream) {
      const { book } = tape;
      if (stream === `books ${SWAP}`)
        return book === undefined ? [] : [bookFrame('snapshot', -1, book.tsMs, pairs(book.bids), pairs(book.asks))];
      return contextTexts().flatMap((each) => (each.stream === stream ? [each.text] : []));
    },
    reply(message, { isListed }): ClientReply {
      if (message === 'ping') return { replies: ['pong'] };
      const parsed = request.safeParse(parseJson(message));
      if (!parsed.success) return { replies: [refused('60012', `Invalid request: ${message.slice(0, 200)}`)] };
      const { op, args } = parsed.data;
      const isKnown = ({ instId, instType }: Argument): boolean =>
        instType === 'SWAP' || (isListed && (instId === SWAP || instId === INDEX));
      const replies = args.map((arg) =>
        isKnown(arg)
          ? JSON.stringify({ event: op, arg, connId: 'simulated' })
          : refused(
              '60018',
              `Wrong URL or channel:${arg.channel},instId:${arg.instId} doesn't exist. Please use the correct URL, channel and parameters.`,
            ),
      );
      const streams = args.filter(isKnown).map(streamOf);
      return { replies, ...(op === 'subscribe' ? { begin: streams } : { end: streams }) };
    },
    answer({ pathname, searchParams }, listing) {
      const { book, context } = tape;
      const ts = String(context?.tsMs);
      switch (pathname) {
        case '/api/v5/public/instruments':
          return list(instrumentsOf(listing));
        case '/api/v5/market/tickers':
          return list([{ instType: 'SWAP', instId: SWAP, last: context?.markPrice, volCcy24h: '1000', ts }]);
        case '/api/v5/public/funding-rate':
          return list([fundingRow(tape.nextMs)]);
        case '/api/v5/public/mark-price':
          return list(context === undefined ? [] : [{ instType: 'SWAP', instId: SWAP, markPx: context.markPrice, ts }]);
        case '/api/v5/market/trades':
          return list(
            tape.trades
              .slice(-Number(searchParams.get('limit') ?? 100))
              .toReversed()
              .map(tradeRow),
          );
        case '/api/v5/market/books':
          return list([
            {
              asks: rowsOf(pairs((book?.asks ?? []).slice(0, 1))),
              bids: rowsOf(pairs((book?.bids ?? []).slice(0, 1))),
              ts: String(book?.tsMs),
            },
          ]);
        case '/api/v5/market/candles':
          return list(
            tape
              .minutes()
              .toReversed()
              .map(({ startMs, prices, size }) => [String(startMs), ...prices, (size / CONTRACT).toFixed(1), size.toFixed(2), '0', '1']),
          );
        default:
          return undefined;
      }
    },
    /** After maintenance the next frame has a lower `seqId` than its `prevSeqId`. */
    restart() {
      const prevSeqId = sequence;
      sequence = 10;
      const { book } = tape;
      return book === undefined
        ? []
        : [{ stream: `books ${SWAP}`, channel: 'book', text: bookFrame('update', prevSeqId, book.tsMs, [], []) }];
    },
  };
}
