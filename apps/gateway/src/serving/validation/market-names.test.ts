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
  expect(await namesOf(SERVED).readQuery({ symbol, venue, depth: 5 })).toEqual({ value: { symbol: key, depth: 5 }, faults: [] });
});

test.each([
  ['BTCUSD-PERP', 'kraken'],
  ['ETHUSD-PERP', 'okx'],
  ['BTCUSD-PERP,ETHUSD-PERP', 'okx'],
  ['BTCUSD-PERP@okx', 'hyperliquid'],
])('%s of %s is refused with those that are served', async (symbol, venue) => {
  const { readQuery, known } = namesOf(SERVED);
  const served = 'BTCUSD-PERP of hyperliquid, BTCUSD-PERP of okx, ETHUSD-PERP of hyperliquid';
  const fault = { loc: ['query', 'venue'], msg: `has no ${symbol}. Served: ${served}`, type: 'not_served' };
  expect(await readQuery({ symbol, venue })).toEqual({ value: { symbol, venue }, faults: [fault] });
  expect(known({ symbol, venue })).toBeNull();
});

test('a market that is not served is refused', async () => {
  expect(await namesOf(SERVED).readQuery({ symbol: 'BTCUSD-PERP@kraken' })).toMatchObject({
    faults: [{ loc: ['query', 'symbol'], type: 'not_served' }],
  });
});

test('a venue of ALL is refused', async () => {
  expect(await namesOf(SERVED).readQuery({ symbol: 'ALL', venue: 'okx' })).toMatchObject({ faults: [{ type: 'venue_of_all' }] });
});

test('a query without a venue is left as it is, and venues are asked for only to find one that is new', async () => {
  const { readQuery, known, venues } = namesOf(SERVED);
  const plain = { symbol: 'BTCUSD-PERP' };
  expect(known(plain)).toBe(plain);
  expect((await readQuery({ symbol: 'BTCUSD-PERP', venue: 'okx' })).value).toEqual({ symbol: 'BTCUSD-PERP@okx' });
  expect(venues).not.toHaveBeenCalled();
  const named = { symbol: 'BTCUSD-PERP', venue: 'hyperliquid' };
  expect(known(named)).toBeNull();
  await readQuery(named);
  expect(known(named)).toEqual(plain);
  expect(known(named)).toBe(known(named));
  await readQuery({ symbol: 'ETHUSD-PERP', venue: 'hyperliquid' });
  expect(venues).toHaveBeenCalledTimes(1);
});

test.each([
  [
    { symbol: 'BTCUSD-PERP@hyperliquid', rule: {} },
    { symbol: 'BTCUSD-PERP', rule: {} },
  ],
  [
    { symbols: ['BTCUSD-PERP@hyperliquid', 'BTCUSD-PERP@okx', 'XRPUSD-PERP'] },
    { symbols: ['BTCUSD-PERP', 'BTCUSD-PERP@okx', 'XRPUSD-PERP'] },
  ],
  [
    { name: 'n', query: { symbol: 'ETHUSD-PERP@hyperliquid' } },
    { name: 'n', query: { symbol: 'ETHUSD-PERP' } },
  ],
  [{ query: { symbol: 'BTCUSD-PERP', venue: 'okx', q: 'x' } }, { query: { symbol: 'BTCUSD-PERP@okx', q: 'x' } }],
  [{ query: { venue: 'okx' } }, { query: { symbol: 'BTCUSD-PERP@okx' } }],
  [{ query: { q: 'x' } }, { query: { q: 'x' } }],
  [{ query: 'code=a@b' }, { query: 'code=a@b' }],
  [{ email: 'a@b.c' }, { email: 'a@b.c' }],
  [null, null],
])('the body %j has the keys of its markets', async (body, keys) => {
  expect(await namesOf(SERVED).readBody(body)).toEqual({ value: keys, faults: [] });
});

test('every market of a body that is not served is a fault of its field', async () => {
  const body = { symbol: 'BTCUSD-PERP@kraken', symbols: ['BTCUSD-PERP', 'ETHUSD-PERP@okx'], query: { symbol: 'BTCUSD-PERP@kraken' } };
  const { faults } = await namesOf(SERVED).readBody(body);
  const msg = 'is not served. Served: BTCUSD-PERP of hyperliquid, BTCUSD-PERP of okx, ETHUSD-PERP of hyperliquid';
  const places = [
    ['body', 'symbol'],
    ['body', 'symbols', 1],
    ['body', 'query', 'symbol'],
  ];
  expect(faults).toEqual(expect.arrayContaining(places.map((loc) => ({ loc, msg, type: 'not_served' }))));
  expect(faults).toHaveLength(3);
  expect((await namesOf(SERVED).readBody({ query: { symbol: 'ALL', venue: 'okx' } })).faults).toMatchObject([
    { loc: ['body', 'query', 'venue'], type: 'venue_of_all' },
  ]);
});
