import type { PacketResult } from '../src/index';
import { labelLog } from './label-log';
import { LogBuilder, type Level } from './log-builder';

const T0 = 1_700_000_000_000;
const BIDS: readonly Level[] = [[100, 3]];
const ASKS: readonly Level[] = [[101, 1]];

/**
 * Four packets: a book alone, a book alone, six buys of 1 at 101, three more. The book shows 4, so that 12 count in full: f = 0.5, then
 * 0.75.
 */
function lateTrades(): readonly PacketResult[] {
  const log = new LogBuilder(T0 - 1_000).connected().tick(T0 - 750);
  for (let index = 0; index < 4; index++) {
    const endMs = T0 + index * 10_000;
    log.book(endMs - 500, BIDS, ASKS);
    for (let trade = 0; trade < (index === 2 ? 6 : index === 3 ? 3 : 0); trade++) log.trade(endMs - 400, 'buy', 101, 1);
    log.tick(endMs + 1_000);
  }
  return labelLog(log.events);
}

const changedOf = (result: PacketResult | undefined) => result?.packet.changed;

test('packets that could not read a composite are no part of its trailing mean, and have no score to compare with', () => {
  const [, second, third, fourth] = lateTrades();
  expect(changedOf(second)?.composites.flow).toEqual({ previous: null, trailing_mean: null });
  expect(changedOf(second)?.flow_side).toEqual({ previous: null, changed: false });
  expect(changedOf(third)?.composites.flow).toEqual({ previous: null, trailing_mean: null });
  expect(changedOf(third)?.flow_side).toEqual({ previous: null, changed: false });
  expect(changedOf(fourth)?.composites.flow).toEqual({ previous: 0.5, trailing_mean: 0.5 });
});

test('the largest mover is one that earlier packets could read', () => {
  const [first, second, third, fourth] = lateTrades();
  expect(changedOf(first)?.largest_mover).toBeNull();
  expect([changedOf(second)?.largest_mover?.composite, changedOf(third)?.largest_mover?.composite]).toEqual(['pressure', 'pressure']);
  expect(changedOf(fourth)?.largest_mover).toEqual({ composite: 'flow', change: 0.25 });
});

test('lane means are over the packets that could read the composite; without any the number is left out', () => {
  const lanes = lateTrades().map(({ packet }) => packet.compute_lanes.find((lane) => lane.lane_id === 'short_window')?.numbers);
  expect(lanes.map((numbers) => numbers?.['flow_mean'])).toEqual([undefined, undefined, 0.5, 0.625]);
  // 0.5 over 500 ms of the first minute
  expect(lanes[0]?.['pressure_mean']).toBe(0.004167);
});

test('volatility of too few returns is not available; without a book it has no source', () => {
  const bookless = labelLog(
    new LogBuilder(T0)
      .connected()
      .tick(T0)
      .tick(T0 + 1_000).events,
  )[0];
  const regimeOf = (result: PacketResult | undefined) => result?.packet.state_decision_trace.composites.regime;
  expect(regimeOf(lateTrades()[3])).toMatchObject({
    score: null,
    level: 'not_available',
    term_notes: { realized_vol_short: 'not_available' },
  });
  expect(regimeOf(bookless)).toMatchObject({ score: null, level: 'no_source', term_notes: { realized_vol_short: 'source_missing' } });
});
