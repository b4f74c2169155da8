import { searchTarget } from './search-target';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SOLUSD-PERP', 'SOLVUSD-PERP', 'USDCUSD-PERP'];

test.each([
  [' btc ', '/live/BTCUSD-PERP'],
  ['BTCUSD', '/live/BTCUSD-PERP'],
  ['ethusd-perp', '/live/ETHUSD-PERP'],
  ['sol', '/live/SOLUSD-PERP'],
  ['us', '/live/USDCUSD-PERP'],
  ['evt_whbnfndrwfjr0veb7vckzkk0q2', '/packet/evt_whbnfndrwfjr0veb7vckzkk0q2'],
])('%s leads to %s', (text, path) => {
  expect(searchTarget(text, SYMBOLS)).toEqual({ path, problem: '' });
});

test.each(['', 'depth watch', 'evt_', '../login', 'BTC/USD', 'XRP', 'BTCUSDUSD-PERP'])('%j leads nowhere', (text) => {
  expect(searchTarget(text, SYMBOLS)).toEqual({ path: null, problem: 'No such symbol or event id' });
});

test('symbols with the same prefix are suggested', () => {
  expect(searchTarget('so', SYMBOLS)).toEqual({ path: null, problem: 'Which one? SOLUSD-PERP, SOLVUSD-PERP' });
});

test('no suggestions without the catalog', () => {
  expect(searchTarget('btcusd-perp', null).path).toBe('/live/BTCUSD-PERP');
  for (const text of ['btc', 'BTCUSD', '']) expect(searchTarget(text, null).path).toBeNull();
});
