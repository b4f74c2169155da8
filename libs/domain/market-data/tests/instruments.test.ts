import { readFileSync } from 'node:fs';
import {
  FEED_NAMES,
  instrumentRows,
  InstrumentTableError,
  parseInstrumentRows,
  readInstrumentDescription,
  readServedSettings,
  servedInstruments,
  ServedInstrumentsError,
} from '../src/index';

const row = {
  feed: 'hyperliquid',
  symbol: 'BTCUSD-PERP',
  venue: 'hyperliquid',
  venue_instrument: 'BTC',
  channels: ['book'],
  book_staleness_ms: 1,
  trade_staleness_ms: 1,
  context_staleness_ms: 1,
  closing_lag_ms: 1,
};
const coinm = { ...row, feed: 'binance', venue: 'binance-coinm', venue_instrument: 'BTCUSD_PERP', contract_value: '100' };

function faultsOf(...rows: unknown[]): readonly string[] {
  try {
    parseInstrumentRows(JSON.stringify(rows));
  } catch (error) {
    if (error instanceof InstrumentTableError) return error.faults;
    throw error;
  }
  return [];
}

const neverRead = (): string => {
  throw new Error('nothing is read');
};

it.each([
  ['A'.repeat(20), []],
  ['A'.repeat(21), ['row 1: symbol must be <BASE>USD-PERP with a base of 1 to 20 capital letters and digits']],
])('the base %s is as long as the API takes, or is refused', (base, faults) => {
  expect(faultsOf({ ...row, symbol: `${base}USD-PERP` })).toEqual(faults);
});

it('every fault of every row is named at once', () => {
  expect(
    faultsOf({ ...row, symbol: 'btc', channels: ['books'], extra: 1 }, { ...row, closing_lag_ms: 0, book_staleness_ms: 1.5 }, 7),
  ).toEqual([
    'row 1: symbol must be <BASE>USD-PERP with a base of 1 to 20 capital letters and digits',
    'row 1: channels.0 must be one of book, trades, context, liquidations',
    expect.stringMatching(/^row 1: has an unknown field, extra; the fields are feed, symbol, venue, venue_instrument, [a-z_, ]+$/),
    'row 2: book_staleness_ms must be a whole number of milliseconds',
    'row 2: closing_lag_ms must be 1 or more',
    'row 3: must be an object',
  ]);
});

it.each([
  ['symbol=SOLUSD-PERP,venue=kraken,book_staleness_ms=soon', ['book_staleness_ms must be a number']],
  ['{"symbol":"SOLUSD-PERP","venue":"kraken","venue_instrument":5}', ['venue_instrument must be text']],
  [
    'venue=kraken,colour=red',
    ['symbol is required: <BASE>USD-PERP, such as SOLUSD-PERP', expect.stringMatching(/^colour: unknown; expected symbol, venue, /)],
  ],
])('every fault of the description %s is a plain sentence', (text, faults) => {
  expect(() => readInstrumentDescription(text)).toThrow(expect.objectContaining({ faults }) as Error);
});

it.each([
  ['contracts without their value', { ...coinm, contract_value: undefined }, 'row 1: contract_value is required: quantities are contracts'],
  ['a value that is known to be another', { ...coinm, contract_value: '10' }, 'row 1: contract_value must be 100 for BTCUSD_PERP'],
  [
    'a value where quantities are base units',
    { ...row, contract_value: '10' },
    'row 1: contract_value must be absent: quantities are base units',
  ],
  ['a venue that the feed does not reach', { ...row, venue: 'binance-usdm' }, 'row 1: venue must be hyperliquid if feed is hyperliquid'],
])('%s is refused', (_, bad, fault) => {
  expect(faultsOf(bad)).toEqual([fault]);
});

it('a symbol stands once in a feed', () => {
  expect(faultsOf(row, coinm, row)).toEqual(['row 3: hyperliquid already has BTCUSD-PERP']);
  expect(faultsOf(row, coinm)).toEqual([]);
});

it('by default the three demo symbols are served: two recordings and the simulated one', () => {
  const { served, faults } = readServedSettings({}, neverRead);
  expect(faults).toEqual([]);
  expect(served.map(({ feed, symbol }) => `${feed} ${symbol}`)).toEqual([
    'recording BTCUSD-PERP',
    'recording ETHUSD-PERP',
    'simulated SIMUSD-PERP',
  ]);
});

it('a recording of a symbol that no row knows is served too, by its own facts', () => {
  const { served } = readServedSettings({ FEED: 'recording', FEED_FILE: 'WIFUSD-PERP=a.gz', SYMBOLS: 'WIFUSD-PERP' }, neverRead);
  expect(served).toEqual([{ symbol: 'WIFUSD-PERP', feed: 'recording' }]);
});

it('the feed import has the symbols that are named in full and that no other feed plays', () => {
  const { served, faults } = readServedSettings({ FEED: 'import,simulated', SYMBOLS: 'BTCUSD-PERP,SIMUSD-PERP' }, neverRead);
  expect(faults).toEqual([]);
  expect(served).toEqual([
    expect.objectContaining({ symbol: 'SIMUSD-PERP', feed: 'simulated' }),
    { symbol: 'BTCUSD-PERP', feed: 'import' },
  ]);
  expect(readServedSettings({ FEED: 'import' }, neverRead).faults).toEqual([{ variable: 'SYMBOLS', message: 'no symbol is served' }]);
  expect(readServedSettings({ FEED: 'import', SYMBOLS: 'BTC' }, neverRead).faults).toEqual([
    { variable: 'SYMBOLS', message: 'unknown symbol: BTC; known: none' },
  ]);
});

it('unknown symbols are named with those that are known, unknown feeds with the feeds', () => {
  expect(readServedSettings({ FEED: 'simulated', SYMBOLS: 'DOGEUSD-PERP,SIMUSD-PERP' }, neverRead).faults).toEqual([
    { variable: 'SYMBOLS', message: 'unknown symbol: DOGEUSD-PERP; known: SIMUSD-PERP' },
  ]);
  expect(readServedSettings({ FEED: 'wire' }, neverRead).faults).toEqual([
    { variable: 'FEED', message: `unknown feed: wire; known: ${FEED_NAMES.join(', ')}` },
  ]);
});

it('a symbol that two feeds play is served at both venues: the first feed has its primary one', () => {
  const marketsOf = (FEED: string, SYMBOLS: string): string[] => {
    const { served, faults } = readServedSettings({ FEED, SYMBOLS }, neverRead);
    expect(faults).toEqual([]);
    for (const { symbol, row: own } of served) expect(own?.symbol).toBe(symbol);
    return served.map(({ symbol, row: own }) => `${symbol} ${own?.venue}`);
  };
  expect(marketsOf('hyperliquid,okx', 'BTC,HYPE')).toEqual(['BTCUSD-PERP hyperliquid', 'HYPEUSD-PERP hyperliquid', 'BTCUSD-PERP@okx okx']);
  expect(marketsOf('okx,hyperliquid', 'BTC')).toEqual(['BTCUSD-PERP okx', 'BTCUSD-PERP@hyperliquid hyperliquid']);
  expect(marketsOf('recording,okx', 'ETH')).toEqual(['ETHUSD-PERP binance-coinm', 'ETHUSD-PERP@okx okx']);
  // The only one that is served is the primary one.
  expect(marketsOf('hyperliquid,okx', 'BTC@okx')).toEqual(['BTCUSD-PERP okx']);
});

it('a market that two feeds would play, or whose venue no row has, is refused', () => {
  const faultsOf = (variables: Parameters<typeof readServedSettings>[0]) => readServedSettings(variables, neverRead).faults;
  expect(faultsOf({ FEED: 'recording,binance', SYMBOLS: 'BTC' })).toEqual([
    {
      variable: 'FEED',
      message:
        'BTCUSD-PERP of binance-coinm is played by both recording and binance: remove one of the feeds, or exclude the symbol with SYMBOLS',
    },
  ]);
  expect(faultsOf({ FEED: 'recording,hyperliquid', SYMBOLS: 'HYPE', FEED_FILE: 'HYPEUSD-PERP=a.gz' })).toEqual([
    {
      variable: 'FEED',
      message:
        'HYPEUSD-PERP is played by both recording and hyperliquid, and the instrument table has no venue of recording: add its row, or exclude the symbol with SYMBOLS',
    },
  ]);
  const choice = { feeds: ['recording', 'binance'], recordingSymbols: ['BTCUSD-PERP'], rows: instrumentRows } as const;
  expect(() => servedInstruments(choice)).toThrow(ServedInstrumentsError);
});

it('a secondary venue whose name cannot be part of a market is refused', () => {
  const rows = instrumentRows.map((each) => (each.feed === 'okx' ? { ...each, venue: 'OKX 2' } : each));
  const choice = { feeds: ['hyperliquid', 'okx'], symbols: ['BTC'], recordingSymbols: [], rows } as const;
  expect(() => servedInstruments(choice)).toThrow(
    'BTCUSD-PERP@OKX 2 would be a secondary venue, whose name may have only lower-case letters, digits and hyphens',
  );
  expect(servedInstruments({ ...choice, feeds: ['okx', 'hyperliquid'] }).map(({ symbol }) => symbol)).toEqual([
    'BTCUSD-PERP',
    'BTCUSD-PERP@hyperliquid',
  ]);
});

it('INSTRUMENTS_FILE replaces the table; faults in it, or a missing file, are reported', () => {
  const read = (text: string) => readServedSettings({ FEED: 'hyperliquid', INSTRUMENTS_FILE: '/etc/rows.json' }, () => text);
  expect(read(JSON.stringify([{ ...row, symbol: 'PURRUSD-PERP' }])).served).toMatchObject([
    { symbol: 'PURRUSD-PERP', row: { venueInstrument: 'BTC' } },
  ]);
  expect(read('[').faults).toEqual([{ variable: 'INSTRUMENTS_FILE', message: 'is not valid JSON' }]);
  expect(readServedSettings({ INSTRUMENTS_FILE: '/nowhere' }, (path) => readFileSync(path, 'utf8')).faults).toEqual([
    { variable: 'INSTRUMENTS_FILE', message: '/nowhere cannot be read' },
  ]);
});
