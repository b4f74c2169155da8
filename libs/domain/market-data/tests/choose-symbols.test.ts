import { chooseSymbols, type InstrumentFacts } from '../src/index';

const known = (
  [
    ['BTCUSD-PERP', 'BTC', '900'],
    ['ETHUSD-PERP', 'ETH', '1000.5'],
    ['PEPEUSD-PERP', '1000PEPEUSDT', '30'],
    ['1INCHUSD-PERP', '1INCHUSDT', undefined],
  ] as const
).map(([symbol, venueInstrument, dayVolumeUsd]) => {
  const facts: InstrumentFacts = { multiplier: '1', quote: 'USDT', dayVolumeUsd };
  return { symbol, row: { venue: 'binance-usdm', venueInstrument, facts } };
});

const basesOf = (list: string): string =>
  chooseSymbols(list === '' ? [] : list.split(','), known)
    .chosen.map(({ symbol }) => symbol.replace('USD-PERP', ''))
    .join();

it.each([
  ['', 'BTC,ETH,PEPE,1INCH'],
  ['all', 'BTC,ETH,PEPE,1INCH'],
  ['BTC,ETHUSD-PERP', 'BTC,ETH'],
  ['top:1', 'ETH'],
  ['top:2,!ETH', 'BTC,PEPE'],
  ['!1000*', 'BTC,ETH,1INCH'],
  ['1*', 'PEPE,1INCH'],
  ['*USDT,!PEPE', '1INCH'],
  ['top:1,1INCH', 'ETH,1INCH'],
  ['all,!*', ''],
  ['BTC@binance-usdm,ETHUSD-PERP@binance-usdm', 'BTC,ETH'],
  ['*@binance-usdm,!*PEPE@*', 'BTC,ETH,1INCH'],
])('%s chooses %s', (list, expected) => {
  expect(basesOf(list)).toBe(expected);
});

it('every word that cannot be followed has a sentence', () => {
  expect(chooseSymbols(['DOGE', 'top:0', 'X*', 'BTC'], known).faults).toEqual([
    'top:0: must be top: and a whole number from 1, such as top:50',
    'unknown symbol: DOGE, X*; known: BTCUSD-PERP, ETHUSD-PERP, PEPEUSD-PERP, 1INCHUSD-PERP',
  ]);
  expect(chooseSymbols(['top:5'], [{ symbol: 'BTCUSD-PERP' }]).faults).toEqual([
    'top:5: the instrument table has no day volumes; make one with market-state instruments',
  ]);
});
