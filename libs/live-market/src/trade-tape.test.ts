import type { TradeEvent } from '@market-state/market-data';
import { TAPE_LENGTH, TradeTape } from './trade-tape';

function trade(exchangeTsMs: number, venueId: string, pass = 1): TradeEvent {
  return {
    kind: 'trade',
    venue: 'v',
    symbol: 'BTCUSD-PERP',
    pass,
    venueId,
    exchangeTsMs,
    exchangeTsIsReceiveTime: false,
    receivedTsMs: exchangeTsMs,
    ordinal: 1,
    epoch: 1,
    price: '1',
    size: '1',
    aggressorSide: 'buy',
  };
}

test('the newest come first by time, pass and numeric id, regardless of arrival order', () => {
  const ordered = [trade(1, '9'), trade(1, '10'), trade(1, '2', 2), trade(2, '1'), trade(5, '0')];
  for (const arrival of [
    [0, 1, 2, 3, 4],
    [4, 3, 2, 1, 0],
    [2, 4, 0, 3, 1],
  ]) {
    const tape = new TradeTape();
    for (const index of arrival) tape.add(ordered[index] as TradeEvent);
    expect(tape.newest(10)).toEqual([...ordered].reverse());
    expect(tape.newest(2)).toEqual([ordered[4], ordered[3]]);
  }
});

test('the newest thousand are kept, and memory stays bounded', () => {
  const tape = new TradeTape();
  for (let index = 0; index < 10_000; index += 1) tape.add(trade(index, String(index)));
  const newest = tape.newest(TAPE_LENGTH);
  expect([newest.length, newest[0]?.venueId, newest.at(-1)?.venueId]).toEqual([1_000, '9999', '9000']);
  expect(tape.length).toBeLessThanOrEqual(2_000);
});
