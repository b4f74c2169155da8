import type { MarketEvent } from '@market-state/market-data';
import { WindowVolumes } from './sample';

const trade = (exchangeTsMs: number, aggressorSide: 'buy' | 'sell', size: string, venueId: string): MarketEvent =>
  ({ kind: 'trade', exchangeTsMs, aggressorSide, size, venueId, price: '100' }) as unknown as MarketEvent;

test('a window holds the trades stamped after the window before and up to its end, each id once', () => {
  const volumes = new WindowVolumes();
  for (const entry of [
    trade(10_000, 'buy', '1', 'a'),
    trade(10_001, 'buy', '2', 'b'),
    trade(10_001, 'buy', '2', 'b'),
    trade(15_000, 'sell', '0.5', ''),
    trade(16_000, 'sell', '0.5', ''),
    trade(20_001, 'sell', '4', 'c'),
  ])
    volumes.addEntry(entry);
  expect(volumes.take(10_000)).toEqual({ buys: 1, sells: 0 });
  expect(volumes.take(20_000)).toEqual({ buys: 2, sells: 1 });
  volumes.addEntry(trade(19_000, 'buy', '8', 'late'));
  volumes.addEntry(trade(29_000, 'buy', '1', 'd'));
  expect(volumes.take(30_000)).toEqual({ buys: 1, sells: 4 });
  expect(volumes.take(40_000)).toEqual({ buys: 0, sells: 0 });
});
