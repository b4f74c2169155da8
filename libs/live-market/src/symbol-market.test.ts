import type { TradeEvent } from '@market-state/market-data';
import { FeedClock, TAPE_LENGTH, TradeTape } from './symbol-market';

function clockAt(): { clock: FeedClock; pass: (ms: number) => void } {
  let wallMs = 1_000_000;
  return { clock: new FeedClock(() => wallMs), pass: (ms) => void (wallMs += ms) };
}

test('there is no clock before the first entry', () => {
  const { clock } = clockAt();
  expect(clock.nowMs()).toBeUndefined();
  expect(clock.ageMs(5)).toBe(0);
});

test('between entries the clock is that of the last one', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(1_000);
  expect(clock.nowMs()).toBe(10_000);
  expect(clock.ageMs(9_000)).toBe(1_000);
  expect(clock.ageMs(10_001)).toBe(0);
});

test('a feed that stopped does not keep things fresh', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(60_000);
  expect(clock.ageMs(10_000)).toBe(60_000);
});

test('an entry ends the silence, and an older one does not turn the clock back', () => {
  const { clock, pass } = clockAt();
  clock.heard(10_000);
  pass(5_000);
  clock.heard(10_250);
  expect(clock.nowMs()).toBe(10_250);
  clock.heard(9_000);
  expect(clock.nowMs()).toBe(10_250);
});

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
