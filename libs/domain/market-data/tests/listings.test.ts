import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  discoverInstruments,
  instrumentTableText,
  type ListingAnswers,
  ListingError,
  listingReasons,
  parseInstrumentRows,
  venueOf,
} from '../src/index';

const CAPTURED = join(import.meta.dirname, '../shapes/hyperliquid/http_metaAndAssetCtxs_testnet.json');

const bybitRow = (symbol: string, type: string, more: object = {}): object => ({
  ...{
    symbol,
    contractType: type,
    status: 'Trading',
    baseCoin: symbol.replace(/USDT?$/, ''),
    quoteCoin: 'USDT',
    launchTime: '1585526400000',
  },
  ...{ deliveryTime: '0', priceFilter: { tickSize: '0.10' }, lotSizeFilter: { qtyStep: '0.001' }, fundingInterval: 480, ...more },
});

/** Answers as each venue documents them. */
const ANSWERS: Readonly<Record<string, ListingAnswers>> = {
  hyperliquid: { metaAndAssetCtxs: [JSON.parse(readFileSync(CAPTURED, 'utf8')) as unknown] },
  'binance-usdm': {
    exchangeInfo: [
      {
        symbols: [
          {
            ...{ symbol: '1000PEPEUSDT', contractType: 'PERPETUAL', status: 'TRADING', baseAsset: '1000PEPE', quoteAsset: 'USDT' },
            ...{ onboardDate: 1683270000000, deliveryDate: 4133404800000 },
            filters: [
              { filterType: 'PRICE_FILTER', tickSize: '0.0000001' },
              { filterType: 'LOT_SIZE', stepSize: '1' },
            ],
          },
          { symbol: 'BTCUSDT', contractType: 'PERPETUAL', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT', filters: [] },
          { symbol: 'BTCUSDT_240927', contractType: 'CURRENT_QUARTER', status: 'TRADING', baseAsset: 'BTC', quoteAsset: 'USDT' },
          {
            symbol: 'OLDUSDT',
            contractType: 'PERPETUAL',
            status: 'SETTLING',
            baseAsset: 'OLD',
            quoteAsset: 'USDT',
            deliveryDate: 1_750_000_000_000,
          },
          { symbol: '币安人生USDT', contractType: 'PERPETUAL', status: 'TRADING', baseAsset: '币安人生', quoteAsset: 'USDT' },
        ],
      },
    ],
    fundingInfo: [[{ symbol: '1000PEPEUSDT', fundingIntervalHours: 4 }]],
    ticker: [
      [
        { symbol: '1000PEPEUSDT', quoteVolume: '500.5' },
        { symbol: 'BTCUSDT', quoteVolume: '9000' },
      ],
    ],
  },
  'binance-coinm': {
    exchangeInfo: [
      {
        symbols: [
          {
            symbol: 'BTCUSD_PERP',
            contractType: 'PERPETUAL',
            contractStatus: 'TRADING',
            baseAsset: 'BTC',
            quoteAsset: 'USD',
            contractSize: 100,
          },
          {
            symbol: 'LINKUSD_PERP',
            contractType: 'PERPETUAL',
            contractStatus: 'TRADING',
            baseAsset: 'LINK',
            quoteAsset: 'USD',
            contractSize: 10,
          },
        ],
      },
    ],
    fundingInfo: [],
    ticker: [[{ symbol: 'LINKUSD_PERP', volume: '25' }]],
  },
  bybit: {
    instruments: [
      { result: { list: [bybitRow('BTCUSDT', 'LinearPerpetual'), bybitRow('BTC-27SEP24', 'LinearFutures')], nextPageCursor: 'x' } },
      { result: { list: [bybitRow('SHIB1000USDT', 'LinearPerpetual', { fundingInterval: 240 })], nextPageCursor: '' } },
    ],
    tickers: [{ result: { list: [{ symbol: 'BTCUSDT', turnover24h: '12.5' }] } }],
  },
  'bybit-inverse': { instruments: [{ result: { list: [bybitRow('LTCUSD', 'InversePerpetual', { quoteCoin: 'USD' })] } }], tickers: [] },
  okx: {
    instruments: [
      {
        code: '0',
        data: [
          {
            ...{
              instType: 'SWAP',
              instId: 'BTC-USDT-SWAP',
              uly: 'BTC-USDT',
              ctType: 'linear',
              ctVal: '0.01',
              ctMult: '1',
              settleCcy: 'USDT',
            },
            ...{ tickSz: '0.1', lotSz: '0.01', listTime: '1573557408000', expTime: '', state: 'live' },
          },
          {
            ...{ instType: 'SWAP', instId: 'LTC-USD-SWAP', uly: 'LTC-USD', ctType: 'inverse', ctVal: '10', ctMult: '1', settleCcy: 'LTC' },
            ...{ tickSz: '0.01', lotSz: '1', listTime: '1545991200000', expTime: '', state: 'live' },
          },
        ],
      },
    ],
    tickers: [{ code: '0', data: [{ instId: 'BTC-USDT-SWAP', volCcy24h: '1000', last: '65000.5' }] }],
    funding: [{ code: '0', data: [{ instId: 'BTC-USDT-SWAP', fundingTime: '1700006400000', nextFundingTime: '1700020800000' }] }],
  },
  kraken: {
    instruments: [
      {
        result: 'success',
        instruments: [
          {
            ...{ symbol: 'PF_XBTUSD', type: 'flexible_futures', tickSize: 1, contractSize: 1, tradeable: true },
            ...{ openingDate: '2022-03-22T13:18:45Z', contractValueTradePrecision: 4, base: 'BTC', quote: 'USD' },
          },
          {
            ...{ symbol: 'PF_PEPEUSD', type: 'flexible_futures', tickSize: 1e-10, contractSize: 1, tradeable: true },
            ...{ openingDate: '2023-05-25T10:52:25Z', contractValueTradePrecision: -3, base: 'PEPE', quote: 'USD' },
          },
          { symbol: 'FF_XBTUSD_240927', type: 'flexible_futures', tradeable: true },
        ],
      },
    ],
    tickers: [],
  },
};

const discover = (...feeds: readonly string[]) => discoverInstruments({ feeds, ask: (venue) => Promise.resolve(ANSWERS[venue] ?? {}) });

test.each(['hyperliquid', 'binance', 'bybit', 'okx', 'kraken'])(
  '%s: a table of its metadata can be read back, one row per symbol',
  async (feed) => {
    const { rows } = await discover(feed);
    expect(parseInstrumentRows(instrumentTableText(rows))).toEqual(JSON.parse(JSON.stringify(rows)));
    const own = rows.filter((row) => row.feed === feed).map(({ symbol }) => symbol);
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual([...new Set(own)]);
  },
);

test('facts of the metadata: multiplier, tick, lot, funding interval, dates, contract and volume', async () => {
  const { rows } = await discover('binance', 'bybit', 'okx', 'kraken');
  const rowOf = (name: string) => rows.find(({ venueInstrument, facts }) => venueInstrument === name && facts !== undefined);
  expect(rowOf('1000PEPEUSDT')).toMatchObject({
    symbol: 'PEPEUSD-PERP',
    facts: {
      multiplier: '1000',
      tickSize: '0.0000001',
      lotSize: '1',
      fundingIntervalHours: 4,
      listedMs: 1_683_270_000_000,
      dayVolumeUsd: '500.5',
    },
  });
  expect(rowOf('1000PEPEUSDT')?.facts?.endsMs).toBeUndefined();
  expect(rowOf('LINKUSD_PERP')).toMatchObject({ contractValue: '10', facts: { dayVolumeUsd: '250' } });
  expect(rowOf('LINKUSD_PERP')?.facts?.fundingIntervalHours).toBeUndefined();
  expect(rowOf('SHIB1000USDT')).toMatchObject({ symbol: 'SHIBUSD-PERP', facts: { multiplier: '1000', fundingIntervalHours: 4 } });
  expect(rowOf('LTCUSD')).toMatchObject({ venue: 'bybit-inverse', contractValue: '1' });
  expect(rowOf('BTC-USDT-SWAP')).toMatchObject({ contractSize: '0.01', facts: { fundingIntervalHours: 4, dayVolumeUsd: '65000500' } });
  expect(rowOf('LTC-USD-SWAP')).toMatchObject({ symbol: 'LTCUSD-PERP', contractValue: '10' });
  expect(rowOf('PF_XBTUSD')).toMatchObject({ symbol: 'BTCUSD-PERP', facts: { tickSize: '1', lotSize: '0.0001', fundingIntervalHours: 1 } });
  expect(rowOf('PF_PEPEUSD')).toMatchObject({ facts: { tickSize: '0.0000000001', lotSize: '1000', multiplier: '1' } });
});

test.each([0, 0.5, -8, '8'])('binance: a funding interval of %p hours is unknown, and the table stays readable', async (hours) => {
  const answers = { ...ANSWERS['binance-usdm'], fundingInfo: [[{ symbol: '1000PEPEUSDT', fundingIntervalHours: hours }]] };
  const ask = (venue: string) => Promise.resolve(venue === 'binance-usdm' ? answers : (ANSWERS[venue] ?? {}));
  const { rows } = await discoverInstruments({ feeds: ['binance'], ask });
  expect(rows.find(({ venueInstrument }) => venueInstrument === '1000PEPEUSDT')?.facts).not.toHaveProperty('fundingIntervalHours', hours);
  expect(parseInstrumentRows(instrumentTableText(rows))).toHaveLength(rows.length);
});

test('the bundled row wins its symbol, and everything left out has a reason', async () => {
  const { rows, leftOut } = await discover('binance');
  expect(rows.filter(({ feed, symbol }) => feed === 'binance' && symbol === 'BTCUSD-PERP')).toMatchObject([
    { venueInstrument: 'BTCUSD_PERP', bookStalenessMs: 5_000 },
  ]);
  expect(leftOut.map(({ venueInstrument, reason }) => `${venueInstrument} ${reason}`)).toEqual([
    'BTCUSDT has the same symbol as BTCUSD_PERP of binance-coinm',
    'OLDUSDT is not traded: its status at the venue is SETTLING',
    '币安人生USDT has a base that is not 1 to 20 capital letters and digits, so it has no symbol of its own',
  ]);
});

test('answers that are not the metadata are an error, and a contract of another size is a reason not to play', async () => {
  await expect(discoverInstruments({ feeds: ['okx'], ask: () => Promise.resolve({ instruments: [{ code: '50011' }] }) })).rejects.toThrow(
    ListingError,
  );
  const okx = venueOf('okx')?.live?.rows as readonly object[];
  expect(okx.length).toBeGreaterThan(0);
  const [row] = parseInstrumentRows(JSON.stringify(okx));
  if (row === undefined) throw new Error('no row');
  const reasons = (contractSize: string) => listingReasons('okx', [{ ...row, contractSize }])?.reasonsOf(ANSWERS['okx'] ?? {});
  expect(reasons('0.010')?.('BTC-USDT-SWAP')).toBeUndefined();
  expect(reasons('0.1')?.('BTC-USDT-SWAP')).toBe('a contract of BTC-USDT-SWAP is 0.01 at the venue and 0.1 in the instrument table');
  expect(reasons('0.01')?.('NO-USDT-SWAP')).toBe('the venue lists no perpetual NO-USDT-SWAP');
});
