import { marketNamed, marketsNamed, symbolOf } from './market-name';

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
