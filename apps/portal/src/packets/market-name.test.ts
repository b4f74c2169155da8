import { marketIn, marketNamed, marketOfPacket, marketsNamed, marketsWords, marketWords, sentenceWords, symbolOf } from './market-name';

test('a row of another venue has the name of its market', () => {
  expect(marketNamed({ symbol: 'BTCUSD-PERP', state: 'depth_watch' })).toEqual({ symbol: 'BTCUSD-PERP', state: 'depth_watch' });
  expect(marketNamed({ symbol: 'BTCUSD-PERP', venue: 'okx' }).symbol).toBe('BTCUSD-PERP@okx');
  expect(symbolOf('BTCUSD-PERP@okx')).toBe('BTCUSD-PERP');
  expect(symbolOf('BTCUSD-PERP')).toBe('BTCUSD-PERP');
});

test('of the venues of a symbol, the first keeps the name of the symbol', () => {
  const entries = [
    { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' },
    { symbol: 'BTCUSD-PERP', venue: 'okx' },
    { symbol: 'ETHUSD-PERP', venue: 'okx' },
  ];
  expect(marketsNamed(entries).map(({ symbol }) => symbol)).toEqual(['BTCUSD-PERP', 'BTCUSD-PERP@okx', 'ETHUSD-PERP']);
});

test('readers see the venue by its name', () => {
  expect(marketWords('BTCUSD-PERP')).toBe('BTCUSD-PERP');
  expect(marketWords('BTCUSD-PERP@binance-usdm')).toBe('BTCUSD-PERP at Binance USD-M');
  expect(marketsWords(['BTCUSD-PERP', 'BTCUSD-PERP@okx', 'BTCUSD-PERP@northbay'])).toBe(
    'BTCUSD-PERP, BTCUSD-PERP at OKX, BTCUSD-PERP at northbay',
  );
  expect(sentenceWords('No data of BTCUSD-PERP@okx. Served: BTCUSD-PERP, BTCUSD-PERP@okx.')).toBe(
    'No data of BTCUSD-PERP at OKX. Served: BTCUSD-PERP, BTCUSD-PERP at OKX.',
  );
});

test('a packet names its market in its cursor, and an answer with a venue has the name of the catalog', () => {
  expect(marketOfPacket({ symbol: 'BTCUSD-PERP', replay: { cursor: 'rc1.BTCUSD-PERP@okx.1764525600000' } })).toBe('BTCUSD-PERP@okx');
  expect(marketOfPacket({ symbol: 'BTCUSD-PERP', replay: { cursor: 'rc1.BTCUSD-PERP.1764525600000' } })).toBe('BTCUSD-PERP');
  const named = marketsNamed([
    { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' },
    { symbol: 'BTCUSD-PERP', venue: 'okx' },
  ]);
  expect(marketIn(named, { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' })).toBe('BTCUSD-PERP');
  expect(marketIn(named, { symbol: 'BTCUSD-PERP', venue: 'okx' })).toBe('BTCUSD-PERP@okx');
});
