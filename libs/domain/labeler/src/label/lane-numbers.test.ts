import { ofComposites, packetTrace as trace } from '../../tests/packet-trace';
import { POLICY_NUMBERS } from '../policy/numbers';
import type { StateName } from '../read';
import {
  eventLineageLane,
  shortWindowLane,
  laneInstant,
  sessionLane,
  dominantState,
  laneConfidence,
  stateFlips,
  stateTotals,
  type PacketTrace,
  historyBlocks,
  historyLane,
} from './lane-reads';

describe('when a scheduled lane stands', () => {
  test.each([
    // the last multiple of 60 s at or before T − 10 s
    [60_000, 60_000, 10_000, 0],
    [70_000, 60_000, 10_000, 60_000],
    [120_000, 60_000, 10_000, 60_000],
    [130_000, 60_000, 10_000, 120_000],
    // the last multiple of 300 s at or before T − 60 s
    [350_000, 300_000, 60_000, 0],
    [360_000, 300_000, 60_000, 300_000],
    [650_000, 300_000, 60_000, 300_000],
    [660_000, 300_000, 60_000, 600_000],
  ])('T = %d, every %d, %d behind: %d', (windowEndMs, everyMs, lagMs, instantMs) => {
    expect(laneInstant(windowEndMs, everyMs, lagMs)).toBe(instantMs);
  });
});

describe('a lane’s state, share, flips and confidence', () => {
  const held = (...states: StateName[]) => states.map((state, i) => trace(i * 10_000, { state }));

  test.each<[readonly PacketTrace[], StateName, number, number]>([
    [held('depth_watch'), 'depth_watch', 1, 0],
    [held('depth_watch', 'flow_shift_watch', 'flow_shift_watch'), 'flow_shift_watch', 0.666667, 1],
    // two of each: flow_shift_watch stands higher than depth_watch
    [held('depth_watch', 'flow_shift_watch', 'depth_watch', 'flow_shift_watch'), 'flow_shift_watch', 0.5, 3],
    [held('market_state_watch', 'insufficient_evidence'), 'insufficient_evidence', 0.5, 1],
  ])('case %#', (traces, state, share, flips) => {
    expect([dominantState(stateTotals(traces), traces.length), stateFlips(traces)]).toEqual([{ state, share }, flips]);
  });

  test.each([
    // mean × min(1, packets / full), the share rounded first
    [0.8, 30, 30, 0.8, 'high'],
    [0.8, 45, 30, 0.8, 'high'],
    // 0.8 × 0.5
    [0.8, 15, 30, 0.4, 'medium'],
    // 0.8 × 0.466667 = 0.3733336
    [0.8, 14, 30, 0.373334, 'low'],
    [0.9, 140, 180, 0.7, 'high'],
  ])('a mean of %d over %d packets of %d is %d, %s', (mean, packets, full, score, label) => {
    expect(laneConfidence(mean, packets, full, POLICY_NUMBERS)).toEqual({ score, label });
  });
});

test('short_window: means of signed p and f, of Q, L and spread over 30 packets, the 31st before left out', () => {
  const traces = [
    trace(0, { pressure: 1, flow: 1, spreadBps: 100, state: 'flow_shift_watch' }),
    ...Array.from({ length: 28 }, (_, i) => trace((i + 1) * 10_000)),
    trace(290_000, {
      pressure: 0.9,
      flow: -0.6,
      spreadBps: null,
      scores: { fragility: 0.3, forced_flow: 0.15 },
      available: { ...ofComposites(true), flow: false },
    }),
    trace(300_000, { pressure: -0.3, flow: 0.29, spreadBps: 30, scores: { fragility: 0.6 }, volatilityShort: 0.000123456789 }),
  ];
  expect(shortWindowLane(traces, -2.5, POLICY_NUMBERS)).toMatchObject({
    asOfMs: 300_000,
    sampleTotal: 30,
    stateShare: 1,
    numbers: {
      pressure_mean: 0.02, // (0.9 − 0.3) / 30
      flow_mean: 0.01, // 0.29 / 29: one packet could not read it
      fragility_mean: 0.03, // (0.3 + 0.6) / 30
      forced_flow_mean: 0.005, // 0.15 / 30
      spread_bps_mean: 2, // (28 × 1 + 30) / 29: one packet had no book
      price_move_bps: -2.5,
      realized_vol_bps: 1.234568, // 10,000 × 0.000123456789
      state_flips: 0,
    },
  });
});

test('session_regime: means of P, F, Q and C, the newest volatilities, minutes between its packets, 2,160 at most', () => {
  const traces = [
    trace(10_000, { scores: { pressure: 0.2, flow: 0.4, fragility: 0.1, crowding: 0.3 }, state: 'flow_shift_watch' }),
    trace(20_000, {
      scores: { pressure: 0.4, flow: 0, fragility: 0.3, crowding: 0.5, regime: 0.25 },
      volatilityShort: 0.0002,
      volatilitySession: 0.0001,
    }),
    trace(70_000, { scores: { pressure: 1 } }),
  ];
  expect(sessionLane(traces, 60_000, POLICY_NUMBERS)).toMatchObject({
    asOfMs: 60_000,
    state: 'flow_shift_watch',
    sampleTotal: 2,
    numbers: {
      pressure_abs_mean: 0.3,
      flow_abs_mean: 0.2,
      fragility_mean: 0.2,
      crowding_mean: 0.4,
      regime_score: 0.25,
      realized_vol_short_bps: 2,
      realized_vol_session_bps: 1,
      state_flips: 1,
      session_minutes: 0.166667, // 10 s
    },
  });
  const long = Array.from({ length: 2_161 }, (_, i) => trace((i + 1) * 10_000));
  // 2,160 packets: 2,159 × 10 s = 359.833333 min
  expect(sessionLane(long, 21_610_000, POLICY_NUMBERS)).toMatchObject({ sampleTotal: 2_160, numbers: { session_minutes: 359.833333 } });
});

describe('historical_replay', () => {
  test('a block of 300 s is (end − 300 s, end]; one without a packet is none', () => {
    const traces = [300_000, 310_000, 600_000, 1_210_000].map((windowEndMs) => trace(windowEndMs));
    expect(historyBlocks(traces, 0, 1_500_000, 300_000).map(({ endMs, packets }) => [endMs, packets])).toEqual([
      [300_000, 1],
      [600_000, 2],
      [1_500_000, 1],
    ]);
    expect(historyBlocks(traces, 300_000, 600_000, 300_000).map(({ endMs }) => endMs)).toEqual([600_000]);
  });

  test('mean severity, flips inside blocks, price range and hours', () => {
    const traces = [
      trace(290_000, { severity: 0.2, mid: 200, confidence: 0.6 }),
      trace(300_000, { severity: 0.4, mid: 202, confidence: 0.9, state: 'flow_shift_watch' }),
      // a flip between blocks does not count
      trace(310_000, { severity: 0.9, mid: 201, confidence: 0.9 }),
    ];
    // 10,000 × (202 / 200 − 1) = 100; 3 × 10 s = 0.008333 h; 0.8 × round6(3 / 360) = 0.8 × 0.008333
    expect(historyLane(historyBlocks(traces, 0, 600_000, 300_000), 600_000, POLICY_NUMBERS)).toMatchObject({
      state: 'depth_watch',
      stateShare: 0.666667,
      sampleTotal: 3,
      confidence: { score: 0.006666, label: 'low' },
      numbers: { severity_mean: 0.5, state_flips: 1, price_range_bps: 100, history_hours: 0.008333 },
    });
  });

  test('packets without a book add no mid; without any the range is 0', () => {
    const blocks = historyBlocks([trace(10_000, { mid: null, bookTsMs: null, fresh: false })], 0, 300_000, 300_000);
    expect(historyLane(blocks, 300_000, POLICY_NUMBERS)).toMatchObject({ numbers: { price_range_bps: 0 } });
  });
});

test('event_lineage: the last six packets, their flips and mean severity', () => {
  const traces = [0.9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6].map((severity, i) =>
    trace(i * 10_000, { severity, state: i < 4 ? 'depth_watch' : 'crowding_shift' }),
  );
  // the first has left: (0.1 + 0.2 + 0.3 + 0.4 + 0.5 + 0.6) / 6; three of each: the higher row
  expect(eventLineageLane(traces, POLICY_NUMBERS)).toMatchObject({
    asOfMs: 60_000,
    state: 'depth_watch',
    sampleTotal: 6,
    stateShare: 0.5,
    numbers: { state_flips: 1, severity_mean: 0.35 },
  });
});
