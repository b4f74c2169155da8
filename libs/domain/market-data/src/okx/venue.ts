import { type Json, isObject, isCount, parseObject } from '../json';
import {
  multipliedName,
  type ListedPerpetual,
  ListingError,
  type VenueListing,
  byName,
  factOf,
  instantOf,
  listsOf,
  productOf,
} from '../listing/listed-perpetual';
import { otherQuote, perpetualOf, type VenueName } from '../venue-name';
import { bestOf, candlePrices, type ExpectedMessages, readCandles, type VenueAnswerReader, type VenueCandle } from '../audit/venue-answers';
import { decimalAsSent, multiplyDecimals, positiveAsSent, positiveDecimal, unsignedAsSent } from '../decimal';
import { HOUR_MS } from '../event';

const SWAP = /^(.+)-(USDT|USDC|USD)-SWAP$/;

/** `BTC-USDT-SWAP` and the inverse `BTC-USD-SWAP` map to `BTCUSD-PERP`; the contract's size is in no message. */
export function okxName(venueInstrument: string): VenueName {
  const [, base, quote] = SWAP.exec(venueInstrument) ?? [];
  if (base === undefined) return { type: 'not_played', reason: 'is no swap in USDT, USDC or USD; only perpetuals are labelled' };
  if (quote === 'USDC') return otherQuote(base);
  const read = perpetualOf(multipliedName(base).base);
  const reason = 'is a contract whose size appears in no message';
  return read.type === 'symbol' ? { type: 'to_describe', reason, base: read.symbol.slice(0, -'USD-PERP'.length) } : read;
}

/** Swaps settled in the coin count contracts of US dollars; others count contracts of the coin. */
export function okxUnit(venueInstrument: string): 'inverse' | 'contract' {
  return SWAP.exec(venueInstrument)?.[2] === 'USD' ? 'inverse' : 'contract';
}

/** `BTC-USDT` for `BTC-USDT-SWAP`. */
export function okxIndexOf(venueInstrument: string): string {
  return venueInstrument.replace(/-SWAP$/, '');
}

/** Hours between this payment and the next; undefined if not whole. */
export function okxFundingHours({ fundingTime, nextFundingTime }: Json): number | undefined {
  const hours = (Number(nextFundingTime) - Number(fundingTime)) / HOUR_MS;
  return Number.isInteger(hours) && hours >= 1 && hours <= 24 ? hours : undefined;
}

export const okxListing: VenueListing = {
  requests: [
    { name: 'instruments', path: 'api/v5/public/instruments?instType=SWAP' },
    { name: 'tickers', path: 'api/v5/market/tickers?instType=SWAP', isOptional: true },
    { name: 'funding', path: 'api/v5/public/funding-rate?instId=ANY', isOptional: true },
  ],
  read(answers) {
    const [first] = answers['instruments'] ?? [];
    if (!isObject(first) || first['code'] !== '0') throw new ListingError('the venue did not list its swaps');
    const rowsOf = (name: string): ReadonlyMap<string, Json> => byName(listsOf(answers, name, 'data'), 'instId');
    const [tickers, funding] = [rowsOf('tickers'), rowsOf('funding')];
    return listsOf(answers, 'instruments', 'data').flatMap((swap) => {
      const { instId, instType } = swap;
      return typeof instId === 'string' && instType === 'SWAP'
        ? listedPerpetual(instId, swap, tickers.get(instId), funding.get(instId))
        : [];
    });
  },
};

/** The coin is the first part of the underlying. `ctMult` multiplies the contract's value. */
function listedPerpetual(name: string, swap: Json, ticker: Json | undefined, funding: Json | undefined): readonly ListedPerpetual[] {
  const { uly, ctType, ctVal, ctMult, settleCcy, tickSz, lotSz, listTime, expTime, state } = swap;
  const [coin = '', quote = ''] = String(uly).split('-');
  const worth = productOf(ctVal, ctMult);
  if (worth === undefined) return [];
  return [
    {
      venueInstrument: name,
      ...multipliedName(coin),
      quote: ctType === 'linear' ? String(settleCcy) : quote,
      unit: ctType === 'inverse' ? { contractValue: worth } : { contractSize: worth },
      tickSize: factOf(tickSz),
      lotSize: factOf(lotSz),
      fundingIntervalHours: funding && okxFundingHours(funding),
      listedMs: instantOf(listTime),
      endsMs: instantOf(expTime),
      dayVolumeUsd: productOf(ticker?.['volCcy24h'], ticker?.['last']),
      ...(state !== 'live' && { notTraded: `its state at the venue is ${String(state)}` }),
    },
  ];
}

const DAY = ['open24h', 'high24h', 'low24h', 'sodUtc0', 'sodUtc8'];

export const okxMessages: ExpectedMessages = {
  kindOf({ arg, event, data }) {
    return event === undefined && isObject(arg) && typeof arg['channel'] === 'string' ? { kind: arg['channel'], body: data } : undefined;
  },
  messages: {
    books: { fields: ['asks', 'bids', 'ts', 'checksum', 'seqId', 'prevSeqId'] },
    'trades-all': { fields: ['instId', 'tradeId', 'px', 'sz', 'side', 'ts', 'source', 'seqId'] },
    tickers: {
      fields: [
        ...['instType', 'instId', 'last', 'lastSz', 'askPx', 'askSz', 'bidPx', 'bidSz', 'volCcy24h', 'vol24h', 'volCcyQuote24h', 'ts'],
        ...DAY,
      ],
    },
    'mark-price': { fields: ['instType', 'instId', 'markPx', 'ts'] },
    'index-tickers': { fields: ['instId', 'idxPx', 'ts', ...DAY] },
    'funding-rate': {
      fields: [
        ...[
          'instType',
          'instId',
          'method',
          'formulaType',
          'fundingRate',
          'nextFundingRate',
          'fundingTime',
          'nextFundingTime',
          'prevFundingTime',
        ],
        ...['minFundingRate', 'maxFundingRate', 'interestRate', 'impactValue', 'settState', 'settFundingRate', 'premium', 'ts'],
      ],
    },
    'open-interest': { fields: ['instType', 'instId', 'oi', 'oiCcy', 'oiUsd', 'ts'] },
    'liquidation-orders': {
      fields: [
        ...['instType', 'instFamily', 'instId', 'uly'],
        ...['side', 'posSide', 'bkPx', 'sz', 'bkLoss', 'ccy', 'ts'].map((name) => `details.${name}`),
      ],
      isRare: true,
    },
    'recent-trades': {
      fields: ['code', 'msg', 'data', ...['instId', 'tradeId', 'px', 'sz', 'side', 'ts', 'source', 'seqId'].map((name) => `data.${name}`)],
      isRare: true,
    },
  },
};

/** Candles have no trade count; books and candles count contracts. */
export const okxAnswers: VenueAnswerReader = {
  candles: (text, { contractValue }) => readCandles(rowsOf(text), (row) => readCandle(row, contractValue)),
  bestPrices(text, { contractSize = '1' }) {
    const [book] = rowsOf(text) ?? [];
    if (!isObject(book)) return undefined;
    const timeMs = Number(book['ts']);
    const sizeOf = (value: unknown): string | undefined => {
      const quantity = positiveDecimal(value);
      return quantity === undefined ? undefined : multiplyDecimals(quantity, contractSize);
    };
    const [bid, ask] = [book['bids'], book['asks']].map((side) => bestOf(side, positiveAsSent, sizeOf));
    if (!isCount(timeMs) || bid === undefined || ask === undefined) return undefined;
    return { place: { by: 'time', value: timeMs }, timeMs, bid, ask };
  },
  /** The rows of mark price and funding rate, in one list. */
  context(text, { venueInstrument }) {
    const own = (rowsOf(text) ?? []).filter(isObject).filter(({ instId }) => instId === venueInstrument);
    const mark = own.find((row) => row['markPx'] !== undefined);
    const timeMs = Number(mark?.['ts']);
    if (mark === undefined || !isCount(timeMs)) return undefined;
    const funding = own.find((row) => row['fundingRate'] !== undefined);
    return { timeMs, markPrice: positiveAsSent(mark['markPx']), fundingRate: decimalAsSent(funding?.['fundingRate']) };
  },
};

function rowsOf(text: string): readonly unknown[] | undefined {
  const { code, data } = parseObject(text) ?? {};
  return code === '0' && Array.isArray(data) ? (data as unknown[]) : undefined;
}

/** `[start, open, high, low, close, contracts, base volume, …]`. */
function readCandle(row: unknown, contractValue: string | undefined): VenueCandle | undefined {
  if (!Array.isArray(row)) return undefined;
  const cells = row as unknown[];
  const openMs = Number(cells[0]);
  const prices = candlePrices(cells.slice(1, 5));
  const [contracts, base] = [unsignedAsSent(cells[5]), unsignedAsSent(cells[6])];
  if (!isCount(openMs) || prices === undefined || contracts === undefined || base === undefined) return undefined;
  const turnover =
    contractValue === undefined
      ? ({ field: 'volume', value: base } as const)
      : ({ field: 'notional', value: multiplyDecimals(contracts, contractValue) } as const);
  return { openMs, ...prices, turnover };
}
