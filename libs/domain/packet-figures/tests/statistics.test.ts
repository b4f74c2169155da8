import { missingSpansOf, stateRunsOf } from '../src/state-runs';
import { counts, firstCalibrated, flipsOf, stateChanges, stateShares } from '../src/statistics';

const START_MS = Date.UTC(2024, 7, 8, 23, 59, 0);
/** Counted fields of a packet; `window` counts from 1, the window that ends 10 s after START_MS. */
const sample = (window: number, state = 'depth_watch') => ({ windowEndMs: START_MS + window * 10_000, state, stateLabel: state });

const at = (seconds: number) => START_MS + seconds * 1_000;

// Windows end at 10, 20, … s. One window (the fifth) has no packet; two are retained context.
const STATES = [
  'depth_watch',
  'depth_watch',
  'flow_shift_watch',
  'depth_watch',
  null,
  'depth_watch',
  'replay_context_ready',
  'replay_context_ready',
  'flow_shift_watch',
];
const samples = STATES.flatMap((state, index) => (state === null ? [] : [sample(index + 1, state)]));

test('runs end where the state changes and where a window is missing', () => {
  expect(stateRunsOf(samples).map(({ state, startMs, endMs, packets }) => [state, startMs, endMs, packets])).toEqual([
    ['depth_watch', at(0), at(20), 2],
    ['flow_shift_watch', at(20), at(30), 1],
    ['depth_watch', at(30), at(40), 1],
    ['depth_watch', at(50), at(60), 1],
    ['replay_context_ready', at(60), at(80), 2],
    ['flow_shift_watch', at(80), at(90), 1],
  ]);
});

test('missing spans are windows without a packet and runs of retained context', () => {
  expect(missingSpansOf(samples)).toEqual([
    { startMs: at(40), endMs: at(50), kind: 'no_packet' },
    { startMs: at(60), endMs: at(80), kind: 'retained' },
  ]);
});

test('shares count packets, and those outside gaps exclude retained context', () => {
  // 8 packets: 4 depth, 2 flow, 2 retained. Outside gaps 6. Depth runs of 10, 10, 20 s: median 10.
  expect(
    stateShares(samples).map(({ state, packets, share, shareOutsideGaps, stateRuns, medianDwellSeconds, longestDwellSeconds }) => [
      state,
      packets,
      share,
      shareOutsideGaps,
      stateRuns,
      medianDwellSeconds,
      longestDwellSeconds,
    ]),
  ).toEqual([
    ['depth_watch', 4, 0.5, 4 / 6, 3, 10, 20],
    ['flow_shift_watch', 2, 0.25, 2 / 6, 2, 10, 10],
    ['replay_context_ready', 2, 0.25, null, 1, 20, 20],
  ]);
});

test('a change of state is counted between consecutive windows only, per hour of packets', () => {
  // depth→flow, flow→depth, depth→retained, retained→flow: 4 in 8 packets, 80 s.
  expect(flipsOf(samples)).toEqual({ total: 4, perHour: 4 / (80 / 3_600) });
  expect(stateChanges(samples)).toEqual([
    { from: 'depth_watch', to: 'flow_shift_watch', total: 1 },
    { from: 'depth_watch', to: 'replay_context_ready', total: 1 },
    { from: 'flow_shift_watch', to: 'depth_watch', total: 1 },
    { from: 'replay_context_ready', to: 'flow_shift_watch', total: 1 },
  ]);
});

test('words are counted by packets, most frequent first, equal ones by name', () => {
  const flagged = [{ gapFlags: ['book_gap', 'late_events'] }, { gapFlags: ['late_events'] }, { gapFlags: ['a_flag'] }];
  expect(counts(flagged, ({ gapFlags }) => gapFlags)).toEqual([
    { value: 'late_events', packets: 2, share: 2 / 3 },
    { value: 'a_flag', packets: 1, share: 1 / 3 },
    { value: 'book_gap', packets: 1, share: 1 / 3 },
  ]);
});

test('the first calibrated packet is timed from the start of the first window', () => {
  const [first, second, own, later] = [10, 20, 30, 40].map((seconds) => ({
    windowEndMs: at(seconds),
    thresholdSource: seconds < 30 ? 'policy_default' : 'symbol_rolling_quantile',
  }));
  expect(firstCalibrated([first, second, own, later].flatMap((each) => each ?? []))).toEqual({ windowEndMs: at(30), afterMs: 30_000 });
  expect(firstCalibrated([first, second].flatMap((each) => each ?? []))).toBeNull();
});
