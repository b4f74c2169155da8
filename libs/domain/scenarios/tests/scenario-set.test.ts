import { loadPolicy } from '@market-state/labeler';
import { scenarioSet, type Expectation, type PacketAspect } from '../src/index';
import { bySegment, labelLog, shareMet, type LabelledPacket, type LabelledSegment } from './labelled-set';

const SEED = 1;
const MINUTE_MS = 60_000;
/** Bytes of a body at most; names and sentences are ASCII. */
const BODY_BYTES_MAX = 25_000;
const { segments, symbol, events } = scenarioSet({ seed: SEED });

let packets: readonly LabelledPacket[] = [];
let labelled: readonly LabelledSegment[] = [];

beforeAll(() => {
  packets = labelLog(symbol, events);
  labelled = bySegment(segments, packets);
}, 600_000);

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

describe('over the set every word of the taxonomy occurs', () => {
  const taxonomy = loadPolicy().taxonomy;
  const kinds: readonly (readonly [PacketAspect, string])[] = [
    ['state', 'states'],
    ['event_class', 'event_classes'],
    ['market_read_direction', 'directions'],
    ['diagnosis_class', 'diagnosis_classes'],
    ['transition_type', 'transition_types'],
    ['severity_class', 'severity_classes'],
    ['confidence_label', 'confidence_labels'],
    ['quality_class', 'quality_classes'],
    ['gap_flag', 'gap_flags'],
  ];
  test.each(kinds)('%s', (aspect, kind) => {
    expect(seen(aspect)).toEqual(new Set(taxonomy.kinds.get(kind)?.keys()));
  });

  test('every threshold is crossed', () => {
    const levels = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'].flatMap((name) => [
      `${name}_watch`,
      `${name}_elevated`,
    ]);
    expect(seen('crossed_threshold')).toEqual(new Set(levels));
  });

  test('every source family is resolved, partial and missing', () => {
    const families = ['book', 'trades', 'asset_context', 'liquidations', 'candles'];
    expect(seen('source')).toEqual(
      new Set(families.flatMap((family) => ['resolved', 'partial', 'missing'].map((status) => `${family}:${status}`))),
    );
  });
});

describe('calibration', () => {
  const { thresholds } = loadPolicy().numbers;
  /** Bounds of the policy: half and one and a half of the default, to 6 decimals. */
  const boundsOf = (standard: number) => ({ low: standard / 2, high: Number((standard * 1.5).toFixed(6)) });
  const bounds = (name: 'pressure' | 'flow' | 'fragility') => ({
    watch: boundsOf(thresholds[name].watch),
    elevated: boundsOf(thresholds[name].elevated),
  });

  test('holds the defaults for 30 minutes with a book, then begins at exactly 180 samples', () => {
    const first = packets.findIndex(({ calibration }) => calibration.threshold_source === 'symbol_rolling_quantile');
    for (const { calibration, pairs } of packets.slice(0, first)) {
      expect(calibration).toMatchObject({ threshold_source: 'policy_default', live_during_calibration: true });
      expect(pairs).toEqual([
        ['pressure', 0.16, 0.3],
        ['flow', 0.25, 0.5],
        ['fragility', 0.35, 0.6],
      ]);
    }
    expect(packets[first]?.calibration).toMatchObject({ sample_event_total: 180, live_during_calibration: false });
    expect((packets[first]?.windowEndMs ?? 0) % 300_000).not.toBe(0);
  });

  test('is renewed at multiples of 300 s and nowhere else, and moves then', () => {
    const after = calibrated();
    const moved = after.slice(1).filter(({ pairs }, place) => JSON.stringify(pairs) !== JSON.stringify(after[place]?.pairs));
    expect(moved.length).toBeGreaterThan(40);
    expect(moved.every(({ windowEndMs }) => windowEndMs % 300_000 === 0)).toBe(true);
  });

  test('is clamped low, clamped high, kept 0.05 apart, and free of all three', () => {
    const all = calibrated().flatMap(({ pairs }) => pairs);
    const count = (holds: (watch: number, elevated: number, of: ReturnType<typeof bounds>) => boolean) =>
      all.filter(([name, watch, elevated]) => holds(watch, elevated, bounds(name))).length;
    expect(count((watch, _, of) => watch === of.watch.low)).toBeGreaterThan(0);
    expect(count((_, elevated, of) => elevated === of.elevated.low)).toBeGreaterThan(0);
    expect(count((watch, _, of) => watch === of.watch.high)).toBeGreaterThan(0);
    expect(count((_, elevated, of) => elevated === of.elevated.high)).toBeGreaterThan(0);
    expect(count((watch, elevated, of) => elevated > of.elevated.low && Math.abs(elevated - watch - 0.05) < 1e-9)).toBeGreaterThan(0);
    expect(count((watch, elevated, of) => watch > of.watch.low && watch < of.watch.high && elevated - watch > 0.051)).toBeGreaterThan(0);
  });

  test('never reaches the cap of 0.95: the highest clamp is below it', () => {
    const { calibration } = loadPolicy().numbers;
    const highest = Object.values(thresholds)
      .filter((pair) => pair.calibrated)
      .map(({ elevated }) => elevated * calibration.clamp_high);
    expect(Math.max(...highest)).toBeLessThan(calibration.threshold_maximum);
  });
});

describe('the set as a whole', () => {
  test('no state holds more than 70 % of the packets', () => {
    const held = [...seen('state')].map((state) => packets.filter((packet) => stateOf(packet) === state).length / packets.length);
    expect(Math.max(...held)).toBeLessThan(0.7);
  });

  test('the state changes at most 10 times an hour, the event class too', () => {
    const changes = (aspect: PacketAspect) =>
      packets.slice(1).filter(({ words }, place) => words[aspect][0] !== packets[place]?.words[aspect][0]).length;
    expect(changes('state') / 8).toBeLessThanOrEqual(10);
    expect(changes('event_class') / 8).toBeLessThanOrEqual(10);
  });

  test('one-sided flow is classed within 3 packets of its first full window', () => {
    const flowing = ['bid_pressure_with_buy_flow', 'ask_pressure_with_sell_flow', 'sweep'];
    const classes = /flow_leading|confirmed_by/;
    for (const { segment, packets: own } of labelled.filter((one) => flowing.includes(one.segment.scenario)))
      expect([segment.scenario, own.slice(0, 3).some(({ words }) => classes.test(words.event_class[0] ?? ''))]).toEqual([
        segment.scenario,
        true,
      ]);
  });

  test('a window makes a packet, but for those in which the feed was down', () => {
    expect(packets).toHaveLength((8 * 60 - 4) * 6);
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
});

function labelledAt(place: number): LabelledSegment {
  const found = labelled[place];
  if (found === undefined) throw new Error(`no segment ${place}`);
  return found;
}

function stateOf(packet: LabelledPacket | undefined): string | undefined {
  return packet?.words.state[0];
}

function seen(aspect: PacketAspect): Set<string> {
  return new Set(packets.flatMap(({ words }) => words[aspect]));
}

function calibrated(): readonly LabelledPacket[] {
  return packets.filter(({ calibration }) => calibration.threshold_source === 'symbol_rolling_quantile');
}

function minuteOf(atMs: number): number {
  return (atMs - (segments[0]?.fromMs ?? 0)) / MINUTE_MS;
}

function wordingOf({ aspect, anyOf, share, span }: Expectation): string {
  const when = span === undefined ? 'after its first minute' : `from ${span.fromMs / 1_000} to ${span.toMs / 1_000} s`;
  return `${aspect} is ${anyOf.join(' or ')} in at least ${share * 100} % ${when}`;
}
