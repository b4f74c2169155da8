import { paletteItems } from './palette-items';

const SYMBOLS = ['BTCUSD-PERP', 'ETHUSD-PERP', 'SOLUSD-PERP', 'SOLVUSD-PERP', 'USDCUSD-PERP'];

test.each([
  [' btc ', '/live/BTCUSD-PERP'],
  ['BTCUSD', '/live/BTCUSD-PERP'],
  ['ethusd-perp', '/live/ETHUSD-PERP'],
  ['sol', '/live/SOLUSD-PERP'],
  ['us', '/live/USDCUSD-PERP'],
  ['evt_whbnfndrwfjr0veb7vckzkk0q2', '/packet/evt_whbnfndrwfjr0veb7vckzkk0q2'],
  ['lab', '/lab'],
  ['api k', '/keys'],
  ['docu', '/docs'],
  ['depth watch', '/search?q=depth%20watch'],
])('the first choice for %s is %s', (text, path) => {
  expect(paletteItems(text, SYMBOLS)[0]?.path).toBe(path);
});

test.each(['../login', 'BTC/USD', 'XRPUSD-PERP', 'evt_'])('%j leads to no symbol or packet, but can be searched for', (text) => {
  expect(paletteItems(text, SYMBOLS).map(({ kind }) => kind)).toEqual(['search']);
});

test('symbols with the same start are all offered, the exact one first', () => {
  expect(paletteItems('so', SYMBOLS).map(({ title }) => title)).toEqual(['SOLUSD-PERP', 'SOLVUSD-PERP', 'Search events for “so”']);
});

test('a full symbol opens without the catalog, and a part of one does not', () => {
  expect(paletteItems('btcusd-perp', [])[0]?.path).toBe('/live/BTCUSD-PERP');
  expect(paletteItems('btc', []).map(({ kind }) => kind)).toEqual(['search']);
});

test('without a text it lists symbols and pages', () => {
  const items = paletteItems('', SYMBOLS);
  expect(items.slice(0, 5).map(({ title }) => title)).toEqual(SYMBOLS);
  expect(items.some(({ path }) => path === '/docs/reference/operations')).toBe(true);
  expect(items.every(({ path }) => !path.includes(':'))).toBe(true);
});
