import { sourcesOf } from './manifest-sources';

test('a manifest says the kind of each source, also that it is not known', () => {
  const venue = { venue: 'binance-coinm', reported_by_venue: false };
  expect(
    sourcesOf({
      sources: [
        { symbol: 'BTCUSD-PERP', source_kind: 'recorded', ...venue },
        { symbol: 'ETHUSD-PERP', source_kind: null, ...venue },
      ],
    }),
  ).toEqual([
    { symbol: 'BTCUSD-PERP', source_kind: 'recorded' },
    { symbol: 'ETHUSD-PERP', source_kind: null },
  ]);
  expect(sourcesOf({})).toEqual([]);
});
