import { marketFaults } from './start-feed';

const market = (symbol: string, venue: string) => ({ symbol, feed: venue, venue });
const [hyperliquid, okx] = [market('BTCUSD-PERP', 'hyperliquid'), market('BTCUSD-PERP@okx', 'okx')];
const swapped = [market('BTCUSD-PERP', 'okx'), market('BTCUSD-PERP@hyperliquid', 'hyperliquid')];

test.each([
  ['a first start', [], [hyperliquid, okx]],
  ['the same order', [hyperliquid, okx], [hyperliquid, okx]],
  ['a second venue after the first', [hyperliquid], [hyperliquid, okx]],
  ['a second venue less', [hyperliquid, okx], [hyperliquid]],
  ['another only venue', [hyperliquid], [market('BTCUSD-PERP', 'okx')]],
  ['another symbol', [market('ETHUSD-PERP', 'okx')], [hyperliquid, okx]],
])('%s is accepted', (_name, stored, played) => {
  expect(marketFaults(stored, played)).toEqual([]);
});

test.each([
  ['the other order', [hyperliquid, okx], swapped],
  ['a second venue before the first', [hyperliquid], swapped],
  ['only the venue that was the second one', [hyperliquid, okx], [market('BTCUSD-PERP', 'okx')]],
  ['the other order of which a shard plays the second one', [hyperliquid], [market('BTCUSD-PERP@hyperliquid', 'hyperliquid')]],
])('%s is refused with the venue that must stay the primary one', (_name, stored, played) => {
  const [fault = '', ...others] = marketFaults(stored, played);
  expect(fault).toMatch(
    /^the primary venue of BTCUSD-PERP is hyperliquid, whose log .* name the feed hyperliquid before the others again$/,
  );
  expect(others).toEqual([]);
});

test('two feeds that turn out to play one venue are refused', () => {
  const twice = { ...market('BTCUSD-PERP@okx', 'okx'), feed: 'recording' };
  expect(marketFaults([], [market('BTCUSD-PERP', 'okx'), twice])).toEqual(['BTCUSD-PERP of okx is played by both okx and recording']);
});
