import type { MarketEvent } from '@market-state/market-data';
import { StabilityError, StabilityTally } from '../src/index';
import { sample, START_MS } from './samples';

const HOUR_SECONDS = 3_600;

function tallyOf(...samples: readonly ReturnType<typeof sample>[]): StabilityTally {
  const tally = new StabilityTally();
  for (const each of samples) tally.addPacket(each);
  return tally;
}

describe('stability of a series with a missing window and retained context', () => {
  // Live: 1 to 4, 6, 9, 10, 11. Window 5 has no packet; 7 and 8 are retained.
  const retained = { state: 'replay_context_ready', eventClass: 'retained_context_only' };
  const tally = tallyOf(
    sample(1, { state: 'depth_watch', severityClass: 'high_context' }),
    sample(2, { state: 'depth_watch', winner: 'flow_shift_watch', eventClass: 'a_class' }),
    sample(3, { state: 'flow_shift_watch', eventClass: 'a_class' }),
    sample(4, { state: 'depth_watch', eventClass: 'a_class' }),
    sample(6, { state: 'flow_shift_watch', eventClass: 'b_class' }),
    sample(7, retained),
    sample(8, retained),
    sample(9, { state: 'pressure_building', severityClass: 'critical_context', eventClass: 'b_class' }),
    sample(10, { state: 'pressure_building', winner: 'depth_watch', eventClass: 'c_class' }),
    sample(11, { state: 'pressure_building', eventClass: 'c_class' }),
  );
  const stability = tally.result();

  test('counts live packets, and their changes an hour, between consecutive windows that are live', () => {
    expect(stability.livePackets).toBe(8);
    expect(stability.liveSeconds).toBe(80);
    // State: 2 to 3, 3 to 4. Class: 1 to 2, 9 to 10.
    expect(stability.flipsPerHour).toBeCloseTo((2 * HOUR_SECONDS) / 80, 9);
    expect(stability.classChangesPerHour).toBeCloseTo((2 * HOUR_SECONDS) / 80, 9);
  });

  test('takes the median over runs that a missing window and retained context end, the mean of two in the middle', () => {
    // 20, 10, 10, 10, 30 s.
    expect(stability.medianDwellSeconds).toBe(10);
    expect(tallyOf(sample(1), sample(2), sample(3, { state: 'depth_watch' })).result().medianDwellSeconds).toBe(15);
  });

  test('shares are of live packets, but for the share that is not its winner', () => {
    expect(stability.states).toEqual([
      { value: 'depth_watch', share: 3 / 8 },
      { value: 'pressure_building', share: 3 / 8 },
      { value: 'flow_shift_watch', share: 2 / 8 },
    ]);
    expect(stability.severityClasses[0]).toEqual({ value: 'routine_context', share: 6 / 8 });
    expect(stability.highShare).toBe(2 / 8);
    expect(stability.notWinnerShare).toBe(2 / 10);
  });

  test('what two series have together is the sum of both, and nothing is compared across them', () => {
    const both = new StabilityTally();
    both.include(tallyOf(sample(1, { state: 'depth_watch' }), sample(2, { state: 'flow_shift_watch' })));
    both.include(tallyOf(sample(3, { state: 'depth_watch' }), sample(4, { state: 'depth_watch' })));
    expect(both.result()).toMatchObject({
      livePackets: 4,
      flipsPerHour: (1 * HOUR_SECONDS) / 40,
      classChangesPerHour: 0,
      medianDwellSeconds: 10,
    });
  });
});

test('a change of the session state counts between consecutive windows that have one, retained context too', () => {
  const tally = tallyOf(
    sample(1),
    sample(2, { sessionState: 'depth_watch' }),
    sample(3, { sessionState: 'replay_context_ready', state: 'replay_context_ready' }),
    sample(4, { sessionState: 'depth_watch' }),
    sample(6, { sessionState: 'flow_shift_watch' }),
  );
  expect(tally.result().sessionChangesPerHour).toBeCloseTo((2 * HOUR_SECONDS) / 40, 9);
});

test('a series without live packets has shares of nothing, so none', () => {
  expect(tallyOf(sample(1, { state: 'insufficient_evidence' })).result()).toEqual({
    livePackets: 0,
    liveSeconds: 0,
    flipsPerHour: null,
    classChangesPerHour: null,
    sessionChangesPerHour: null,
    medianDwellSeconds: null,
    notWinnerShare: 0,
    states: [],
    severityClasses: [],
    highShare: null,
    severityVolatilityCorrelation: null,
    correlatedPackets: 0,
    forecastCorrelations: {
      lastMinute: { correlation: null, packets: 0 },
      lastFiveMinutes: { correlation: null, packets: 0 },
      har: { correlation: null, packets: 0 },
    },
  });
});

test.each([[1], [2]])('a window that is not after the last one is refused', (window) => {
  const tally = tallyOf(sample(1), sample(2));
  expect(() => tally.addPacket(sample(window))).toThrow(StabilityError);
});

describe('severity against the volatility of the next minute', () => {
  const book = (second: number, mid: number): MarketEvent =>
    ({
      kind: 'book',
      exchangeTsMs: START_MS + second * 1_000,
      bids: [{ price: String(mid - 1), size: '1' }],
      asks: [{ price: String(mid + 1), size: '1' }],
    }) as unknown as MarketEvent;
  const seam = { kind: 'feed_status', exchangeTsMs: START_MS, status: { type: 'seam' } } as unknown as MarketEvent;
  /** A market that calms down: the move of each second is smaller than that of the second before. */
  const calming = (seconds: number): readonly MarketEvent[] =>
    Array.from({ length: seconds + 1 }, (_, second) => book(second, 1_000 + (second % 2) * 0.9 ** second));
  const falling = [1, 2, 3].map((window) => sample(window, { severity: 0.9 - window * 0.1 }));

  function correlationOf(entries: readonly MarketEvent[], packets = falling): readonly [number | null, number] {
    const tally = new StabilityTally();
    for (const entry of entries) tally.addEntry(entry);
    for (const packet of packets) tally.addPacket(packet);
    const { severityVolatilityCorrelation, correlatedPackets } = tally.result();
    return [severityVolatilityCorrelation, correlatedPackets];
  }

  test('is 1 where both fall, −1 where one rises, and needs the whole minute', () => {
    expect(correlationOf(calming(90))).toEqual([expect.closeTo(1, 9), 3]);
    const rising = [1, 2, 3].map((window) => sample(window, { severity: window * 0.1 }));
    expect(correlationOf(calming(90), rising)).toEqual([expect.closeTo(-1, 9), 3]);
    expect(correlationOf(calming(89))[1]).toBe(2);
  });

  test('leaves out a minute with a silence over ten seconds, a seam in it, and packets that are not live', () => {
    const silent = calming(90).filter((_, second) => second <= 61 || second > 72);
    expect(correlationOf(silent)[1]).toBe(1);
    expect(correlationOf([...calming(90).slice(0, 72), seam, ...calming(90).slice(72)])[1]).toBe(1);
    expect(correlationOf(calming(90), [sample(1, { state: 'replay_context_ready' }), ...falling.slice(1)])[1]).toBe(2);
  });

  test('a book stamped before the newest is passed over, and a flat market has no ranks to compare', () => {
    const [late, ...rest] = calming(90);
    expect(correlationOf([...rest.slice(0, 60), ...(late === undefined ? [] : [late]), ...rest.slice(60)])).toEqual(correlationOf(rest));
    expect(correlationOf(Array.from({ length: 91 }, (_, second) => book(second, 1_000)))).toEqual([null, 3]);
  });
});
