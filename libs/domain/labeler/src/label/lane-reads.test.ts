import { packetTrace as trace } from '../../tests/packet-trace';
import { createMemory } from '../reducer/labeler-state';
import { POLICY_NUMBERS } from '../policy/numbers';
import type { StateName } from '../read';
import {
  eventLineageLane,
  shortWindowLane,
  laneInstant,
  sessionLane,
  dominantState,
  stateTotals,
  type PacketTrace,
  historyBlocks,
  historyLane,
  scheduledLanes,
} from './lane-reads';

/** `count` packets ten seconds apart, the first at `fromMs`. */
function traces(fromMs: number, count: number, state: StateName = 'depth_watch'): PacketTrace[] {
  return Array.from({ length: count }, (_, index) => trace(fromMs + index * 10_000, { state }));
}

test('the state of most packets is the lane state; on a tie the higher row', () => {
  const held = [...traces(0, 2, 'market_state_watch'), ...traces(0, 2, 'pressure_building')];
  expect(dominantState(stateTotals(held), 4)).toEqual({ state: 'pressure_building', share: 0.5 });
});

describe('lanes at T', () => {
  test('short_window reads the last 30 packets, this one in', () => {
    const recent = [
      trace(0, { pressure: 1 }),
      ...traces(10_000, 29),
      trace(300_000, { pressure: 0.6, state: 'flow_shift_watch', volatilityShort: 0.0004 }),
    ];
    expect(shortWindowLane(recent, 1.5, POLICY_NUMBERS)).toEqual({
      asOfMs: 300_000,
      state: 'depth_watch',
      confidence: { score: 0.5, label: 'medium' },
      sampleTotal: 30,
      stateShare: 0.966667,
      numbers: {
        pressure_mean: 0.02, // 0.6 / 30: the first packet has left
        flow_mean: 0,
        fragility_mean: 0,
        forced_flow_mean: 0,
        spread_bps_mean: 1,
        price_move_bps: 1.5,
        realized_vol_bps: 4,
        state_flips: 1,
      },
    });
  });

  test('confidence grows with the packets there are: 10 of 30 leave a third of 0.5', () => {
    expect(shortWindowLane(traces(0, 10), 0, POLICY_NUMBERS).confidence).toEqual({ score: 0.166666, label: 'low' });
  });

  test('event_lineage reads the last six', () => {
    const recent = [...traces(0, 4), ...traces(40_000, 4, 'flow_shift_watch')];
    expect(eventLineageLane(recent, POLICY_NUMBERS)).toMatchObject({
      state: 'flow_shift_watch',
      sampleTotal: 6,
      stateShare: 0.666667,
      numbers: { state_flips: 1, severity_mean: 0 },
    });
  });
});

describe('scheduled lanes', () => {
  test.each([
    [70_000, 60_000],
    [120_000, 60_000],
    [130_000, 120_000],
  ])('session_regime of a packet at %d stands at %d', (windowEndMs, instantMs) => {
    expect(laneInstant(windowEndMs, 60_000, 10_000)).toBe(instantMs);
  });

  test('session_regime reads packets at or before its instant only', () => {
    const lane = sessionLane([...traces(10_000, 6), trace(70_000, { state: 'flow_shift_watch' })], 60_000, POLICY_NUMBERS);
    expect(lane).toMatchObject({ asOfMs: 60_000, sampleTotal: 6, stateShare: 1, numbers: { state_flips: 0, session_minutes: 0.833333 } });
    expect(sessionLane(traces(70_000, 3), 60_000, POLICY_NUMBERS)).toBeNull();
  });

  test('historical_replay sums whole blocks of 300 s', () => {
    const held = [
      trace(10_000, { severity: 0.2, mid: 100 }),
      trace(300_000, { severity: 0.4, mid: 101 }),
      trace(310_000, { severity: 0.9, state: 'flow_shift_watch', mid: null }),
      trace(610_000),
    ];
    const blocks = historyBlocks(held, 0, 600_000, 300_000);
    expect(blocks.map(({ endMs, packets, lowMid, highMid }) => [endMs, packets, lowMid, highMid])).toEqual([
      [300_000, 2, 100, 101],
      [600_000, 1, null, null],
    ]);
    expect(historyLane(blocks, 600_000, POLICY_NUMBERS)).toEqual({
      asOfMs: 600_000,
      state: 'depth_watch',
      confidence: { score: 0.004167, label: 'low' }, // 0.5 × round6(3 / 360) = 0.5 × 0.008333
      sampleTotal: 3,
      stateShare: 0.666667,
      numbers: { severity_mean: 0.5, state_flips: 0, price_range_bps: 100, history_hours: 0.008333 },
    });
    expect(historyLane([], 600_000, POLICY_NUMBERS)).toBeNull();
  });

  test('each is read once at its instant and kept until the next', () => {
    const memory = createMemory(POLICY_NUMBERS);
    const lanesAt = (windowEndMs: number) => {
      const lanes = scheduledLanes(memory, windowEndMs, POLICY_NUMBERS);
      memory.history.push(trace(windowEndMs));
      return [lanes.sessionRegime?.sampleTotal ?? null, lanes.historicalReplay?.sampleTotal ?? null];
    };
    const seen = Array.from({ length: 66 }, (_, index) => lanesAt(610_000 + index * 10_000));
    // 610 s: nothing before. 670 s: as of 660 s, six packets. 730 s: as of 720 s, twelve.
    expect([seen[0], seen[5], seen[6], seen[11], seen[12]]).toEqual([
      [null, null],
      [null, null],
      [6, null],
      [6, null],
      [12, null],
    ]);
    // 950 s: 900 s lies 50 s back. 960 s: as of 900 s, the thirty packets of one block. 1,260 s: as of 1,200 s, two blocks.
    expect([seen[34]?.[1], seen[35]?.[1], seen[64]?.[1], seen[65]?.[1]]).toEqual([null, 30, 30, 60]);
  });
});
