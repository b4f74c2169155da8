import { searchTarget } from './search-target';

test('a coin, a symbol and an event lead to their pages, and nothing else leads anywhere', () => {
  expect(searchTarget(' btc ')).toBe('/live/BTCUSD-PERP');
  expect(searchTarget('ethusd-perp')).toBe('/live/ETHUSD-PERP');
  expect(searchTarget('evt_whbnfndrwfjr0veb7vckzkk0q2')).toBe('/packet/evt_whbnfndrwfjr0veb7vckzkk0q2');
  for (const text of ['', 'depth watch', 'evt_', '../login', 'BTC/USD']) expect(searchTarget(text)).toBeNull();
});
