import { createMarketNames } from './market-names';

function namesOf(served: readonly string[]) {
  const venues = jest.fn(async () => [
    { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' },
    { symbol: 'BTCUSD-PERP@okx', venue: 'okx' },
    { symbol: 'ETHUSD-PERP', venue: 'hyperliquid' },
  ]);
  return { ...createMarketNames({ served: () => served, venues }), venues };
}

const SERVED = ['BTCUSD-PERP', 'BTCUSD-PERP@okx', 'ETHUSD-PERP'];

test.each([
  ['BTCUSD-PERP', 'okx', 'BTCUSD-PERP@okx'],
  ['BTCUSD-PERP@okx', 'okx', 'BTCUSD-PERP@okx'],
  ['BTCUSD-PERP', 'hyperliquid', 'BTCUSD-PERP'],
  ['BTCUSD-PERP,ETHUSD-PERP', 'hyperliquid', 'BTCUSD-PERP,ETHUSD-PERP'],
  ['BTCUSD-PERP@hyperliquid', undefined, 'BTCUSD-PERP'],
  ['BTCUSD-PERP@okx,ETHUSD-PERP', undefined, 'BTCUSD-PERP@okx,ETHUSD-PERP'],
])('%s of %s is the market %s', async (symbol, venue, key) => {
  expect(await namesOf(SERVED).read({ symbol, venue, depth: 5 })).toEqual({ query: { symbol: key, depth: 5 } });
});

test.each([
  ['BTCUSD-PERP', 'kraken'],
  ['ETHUSD-PERP', 'okx'],
  ['BTCUSD-PERP,ETHUSD-PERP', 'okx'],
  ['BTCUSD-PERP@okx', 'hyperliquid'],
])('%s of %s is refused with those that are served', async (symbol, venue) => {
  const { read, known } = namesOf(SERVED);
  const served = 'BTCUSD-PERP of hyperliquid, BTCUSD-PERP of okx, ETHUSD-PERP of hyperliquid';
  const fault = { loc: ['query', 'venue'], msg: `has no ${symbol}. Served: ${served}`, type: 'not_served' };
  expect(await read({ symbol, venue })).toEqual({ fault });
  expect(known({ symbol, venue })).toBeNull();
});

test('a market that is not served is refused', async () => {
  expect(await namesOf(SERVED).read({ symbol: 'BTCUSD-PERP@kraken' })).toMatchObject({
    fault: { loc: ['query', 'symbol'], type: 'not_served' },
  });
});

test('a venue of ALL is refused', async () => {
  expect(await namesOf(SERVED).read({ symbol: 'ALL', venue: 'okx' })).toMatchObject({ fault: { type: 'venue_of_all' } });
});

test('a query without a venue is left as it is, and venues are asked for only to find one that is new', async () => {
  const { read, known, venues } = namesOf(SERVED);
  const plain = { symbol: 'BTCUSD-PERP' };
  expect(known(plain)).toBe(plain);
  expect(await read({ symbol: 'BTCUSD-PERP', venue: 'okx' })).toEqual({ query: { symbol: 'BTCUSD-PERP@okx' } });
  expect(venues).not.toHaveBeenCalled();
  const named = { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' };
  expect(known(named)).toBeNull();
  await read(named);
  expect(known(named)).toEqual(plain);
  expect(known(named)).toBe(known(named));
  await read({ symbol: 'ETHUSD-PERP', venue: 'hyperliquid' });
  expect(venues).toHaveBeenCalledTimes(1);
});
