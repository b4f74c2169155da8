import { loadPolicy } from '@market-state/labeler';
import { scenarioSet, type PacketAspect } from '../src/index';
import { calibrated, stateOf, testScenarioLog } from './scenario-suite';

const packets = testScenarioLog({ ...scenarioSet({ seed: 1 }), movesMin: 41 });

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

test('calibration is clamped low, clamped high, kept 0.05 apart, and free of all three', () => {
  const { thresholds } = loadPolicy().numbers;
  /** Policy bounds: 0.5 and 1.5 times the default, to 6 decimals. */
  const boundsOf = (standard: number) => ({ low: standard / 2, high: Number((standard * 1.5).toFixed(6)) });
  const bounds = (name: 'pressure' | 'flow' | 'fragility') => ({
    watch: boundsOf(thresholds[name].watch),
    elevated: boundsOf(thresholds[name].elevated),
  });
  const all = calibrated(packets()).flatMap(({ pairs }) => pairs);
  const count = (holds: (watch: number, elevated: number, of: ReturnType<typeof bounds>) => boolean) =>
    all.filter(([name, watch, elevated]) => holds(watch, elevated, bounds(name))).length;
  expect(count((watch, _, of) => watch === of.watch.low)).toBeGreaterThan(0);
  expect(count((_, elevated, of) => elevated === of.elevated.low)).toBeGreaterThan(0);
  expect(count((watch, _, of) => watch === of.watch.high)).toBeGreaterThan(0);
  expect(count((_, elevated, of) => elevated === of.elevated.high)).toBeGreaterThan(0);
  expect(count((watch, elevated, of) => elevated > of.elevated.low && Math.abs(elevated - watch - 0.05) < 1e-9)).toBeGreaterThan(0);
  expect(count((watch, elevated, of) => watch > of.watch.low && watch < of.watch.high && elevated - watch > 0.051)).toBeGreaterThan(0);
});

test('no state holds more than 70 % of the packets', () => {
  const held = [...seen('state')].map((state) => packets().filter((packet) => stateOf(packet) === state).length / packets().length);
  expect(Math.max(...held)).toBeLessThan(0.7);
});

test('the state changes at most 10 times an hour, the event class too', () => {
  const changes = (aspect: PacketAspect) =>
    packets()
      .slice(1)
      .filter(({ words }, place) => words[aspect][0] !== packets()[place]?.words[aspect][0]).length;
  expect(changes('state') / 8).toBeLessThanOrEqual(10);
  expect(changes('event_class') / 8).toBeLessThanOrEqual(10);
});

function seen(aspect: PacketAspect): Set<string> {
  return new Set(packets().flatMap(({ words }) => words[aspect]));
}
