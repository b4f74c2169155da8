import { loadPolicy } from '@market-state/labeler';
import type { MarketEvent } from '@market-state/market-data';
import type { Expectation } from '../src/index';
import type { Segment } from '../src/scenario/scenarios';
import { bySegment, labelLog, shareMet, type LabelledPacket, type LabelledSegment } from './labelled-set';

const MINUTE_MS = 60_000;
const RENEWAL_MS = 300_000;
/** Names and sentences are ASCII. */
const BODY_BYTES_MAX = 25_000;

interface ScenarioLog {
  readonly segments: readonly Segment[];
  readonly symbol: string;
  readonly events: Iterable<MarketEvent>;
  /**
   * Minimum number of renewals that move a calibrated threshold; none does while thresholds are clamped or unobserved.
   */
  readonly movesMin: number;
}

/**
 * Tests a log that starts with `cold_start`, is calibrated after half an hour, and contains `sweep`, `venue_silence`,
 * `late_events` and `feed_down`. Returns its packets.
 */
export function testScenarioLog({ segments, symbol, events, movesMin }: ScenarioLog): () => readonly LabelledPacket[] {
  let packets: readonly LabelledPacket[] = [];
  let labelled: readonly LabelledSegment[] = [];

  beforeAll(() => {
    packets = labelLog(symbol, events);
    labelled = bySegment(segments, packets);
  }, 600_000);

  function labelledAt(place: number): LabelledSegment {
    const found = labelled[place];
    if (found === undefined) throw new Error(`no segment ${place}`);
    return found;
  }

  function minuteOf(atMs: number): number {
    return (atMs - (segments[0]?.fromMs ?? 0)) / MINUTE_MS;
  }

  describe('each segment shows what its scenario calls for', () => {
    const rows = segments.flatMap((segment, place) =>
      segment.expects.map(
        (expectation) => [`${minuteOf(segment.fromMs)} ${segment.scenario}`, wordingOf(expectation), place, expectation] as const,
      ),
    );
    test.each(rows)('minute %s: %s', (_segment, _wording, place, expectation) => {
      expect(shareMet(labelledAt(place), expectation)).toBeGreaterThanOrEqual(expectation.share);
    });
  });

  describe('calibration', () => {
    test('holds the defaults for 30 minutes with a book, then begins at exactly 180 samples', () => {
      const first = packets.findIndex(({ calibration }) => calibration.threshold_source === 'symbol_rolling_quantile');
      const before = packets.slice(0, first).map(({ calibration, pairs }) => ({
        source: calibration.threshold_source,
        live: calibration.live_during_calibration,
        pairs,
      }));
      const defaults = Object.entries(loadPolicy().numbers.thresholds)
        .filter(([, { calibrated: isCalibrated }]) => isCalibrated)
        .map(([name, { watch, elevated }]) => [name, watch, elevated]);
      expect(before).toEqual(before.map(() => ({ source: 'policy_default', live: true, pairs: defaults })));
      expect(packets[first]?.calibration).toMatchObject({ sample_event_total: 180, live_during_calibration: false });
      expect((packets[first]?.windowEndMs ?? 0) % RENEWAL_MS).not.toBe(0);
    });

    test('is renewed at multiples of 300 s and nowhere else, and moves then', () => {
      const after = calibrated(packets);
      const moved = after.slice(1).filter(({ pairs }, place) => JSON.stringify(pairs) !== JSON.stringify(after[place]?.pairs));
      expect(moved.length).toBeGreaterThanOrEqual(movesMin);
      expect(moved.every(({ windowEndMs }) => windowEndMs % RENEWAL_MS === 0)).toBe(true);
    });

    test('never reaches the cap of 0.95: the highest clamp is below it', () => {
      const { calibration, thresholds } = loadPolicy().numbers;
      const highest = Object.values(thresholds)
        .filter((pair) => pair.calibrated)
        .map(({ elevated }) => elevated * calibration.clamp_high);
      expect(Math.max(...highest)).toBeLessThan(calibration.threshold_maximum);
    });
  });

  test('one-sided flow is classed within 3 packets of its first full window', () => {
    const flowing = ['bid_pressure_with_buy_flow', 'ask_pressure_with_sell_flow', 'sweep'];
    const classes = /flow_leading|confirmed_by/;
    const found = labelled.filter(({ segment }) => flowing.includes(segment.scenario));
    expect(found.length).toBeGreaterThan(0);
    for (const { segment, packets: own } of found)
      expect([segment.scenario, own.slice(0, 3).some(({ words }) => classes.test(words.event_class[0] ?? ''))]).toEqual([
        segment.scenario,
        true,
      ]);
  });

  test('a window makes a packet, but for those in which the feed was down', () => {
    expect(packets).toHaveLength((minuteOf(segments.at(-1)?.toMs ?? 0) - 4) * 6);
  });

  test('every sentence of every packet is true of its numbers', () => {
    expect(packets.flatMap(({ untrue }) => untrue)).toEqual([]);
  });

  test('no body is over 25 kB', () => {
    expect(packets.filter(({ bodyBytes }) => bodyBytes > BODY_BYTES_MAX)).toEqual([]);
  });

  test('a silent venue is retained context at once, and out of it at once', () => {
    const { segment, packets: own } = labelledAt(segments.findIndex(({ scenario }) => scenario === 'venue_silence'));
    const stale = own.filter((packet) => stateOf(packet) === 'replay_context_ready').map(({ windowEndMs }) => windowEndMs - segment.fromMs);
    expect([stale[0], stale.at(-1), stale.length]).toEqual([130_000, 360_000, 24]);
  });

  test('a cold start is without evidence until the first book, and at once out of it', () => {
    const without = packets.slice(0, 14).map((packet) => stateOf(packet) === 'insufficient_evidence');
    expect(without).toEqual([...Array<boolean>(12).fill(true), false, false]);
  });

  test('events are late where they came late and where the feed was down, repeats nowhere', () => {
    const grew = labelled.filter(({ packets: own }) => own.at(-1)?.lateTotal !== own[0]?.lateTotal);
    expect(grew.map(({ segment }) => segment.scenario)).toEqual(['late_events', 'feed_down']);
  });

  return () => packets;
}

export function stateOf(packet: LabelledPacket | undefined): string | undefined {
  return packet?.words.state[0];
}

/** Packets with per-symbol thresholds. */
export function calibrated(packets: readonly LabelledPacket[]): readonly LabelledPacket[] {
  return packets.filter(({ calibration }) => calibration.threshold_source === 'symbol_rolling_quantile');
}

function wordingOf({ aspect, anyOf, share, span }: Expectation): string {
  const when = span === undefined ? 'after its first minute' : `from ${span.fromMs / 1_000} to ${span.toMs / 1_000} s`;
  return `${aspect} is ${anyOf.join(' or ')} in at least ${share * 100} % ${when}`;
}
