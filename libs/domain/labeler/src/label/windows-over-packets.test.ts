import { labelLog } from '../../tests/label-log';
import { LogBuilder } from '../../tests/log-builder';
import type { StateName } from '../read';

const T0 = 1_700_000_000_000;

/**
 * 195 packets of an even book whose price moves. Twenty buys stand in the first window; the funding rate is 50 % a year for six packets,
 * then 0.
 */
function results() {
  const log = new LogBuilder(T0 - 10_000).connected().tick(T0 - 9_750);
  for (let trade = 0; trade < 20; trade++) log.trade(T0 - 500, 'buy', 1_000, 1);
  for (let i = 0; i < 195; i++) {
    const endMs = T0 + i * 10_000;
    log
      .book(endMs - 400, [[999 + i, 1]], [[1_001 + i, 1]])
      .context(endMs - 300, { fundingRate: i < 6 ? '0.000058' : '0' })
      .tick(endMs + 1_000);
  }
  return labelLog(log.events);
}

const packets = results().map(({ packet }) => packet);
const termsOf = (index: number, state: StateName) =>
  packets[index]?.state_decision_trace.candidate_states.find((candidate) => candidate.state === state)?.terms;

test('f is 1 while the buys lie in 180 s, in the packets of T0 to T0 + 170 s, and flow is held so long', () => {
  const flows = packets.slice(0, 20).map((packet) => packet.state_decision_trace.composites.flow);
  expect(flows.map((flow) => flow.score)).toEqual([...Array<number>(18).fill(1), 0, 0]);
  expect(flows.map((flow) => flow.held_packets)).toEqual([...Array.from({ length: 18 }, (_, index) => index + 1), 0, 0]);
});

test('the session state is there from the 30th packet on', () => {
  expect([28, 29, 89, 194].map((index) => packets[index]?.session_state?.packet_total ?? null)).toEqual([null, 30, 90, 90]);
});

test('the mean of C and the crowded share are over up to 60 packets before this one, the share not before there are 60', () => {
  // C = 0.6 in the first six packets, over the watch threshold of 0.4, then 0
  const means = [6, 59, 60, 61, 66].map((index) => termsOf(index, 'crowding_shift')?.['crowding_mean']);
  // 0.6 × 6/6, 6/59, 6/60, 5/60, 0
  expect(means).toEqual([0.6, 0.061017, 0.06, 0.05, 0]);
  const shares = [59, 60, 61, 66].map((index) => termsOf(index, 'crowding_persistent')?.['crowded_share']);
  expect(shares).toEqual([null, 0.1, 0.083333, 0]);
});

test('the session leaves this packet out: 179 samples at the 180th packet, calibration at the 181st, then at multiples of 300 s', () => {
  const seen = [0, 1, 179, 180, 189, 190, 194].map((index) => {
    const {
      threshold_source: source,
      sample_event_total: total,
      live_during_calibration: live,
    } = packets[index]?.calibration_context ?? {};
    return [source, total, live];
  });
  // T0 + 1,900 s is the first multiple of 300 s after T0 + 1,800 s
  expect((T0 + 1_900_000) % 300_000).toBe(0);
  expect(seen).toEqual([
    ['policy_default', 0, true],
    ['policy_default', 1, true],
    ['policy_default', 179, true],
    ['symbol_rolling_quantile', 180, false],
    ['symbol_rolling_quantile', 180, false],
    ['symbol_rolling_quantile', 190, false],
    ['symbol_rolling_quantile', 190, false],
  ]);
});

test('medians need 30 packets before: thin and wide are not available at the 30th and are at the 31st', () => {
  const notes = [29, 30].map((index) => packets[index]?.state_decision_trace.composites.fragility.term_notes);
  expect(notes).toEqual([
    expect.objectContaining({ thin: 'not_available', wide: 'not_available' }),
    expect.not.objectContaining({ thin: expect.anything() }),
  ]);
});
