import fc from 'fast-check';
import { createState } from '../src/index';
import { PolicyError } from '../src/policy/files';
import { parsePolicy } from '../src/policy/parse-policy';
import type { Policy } from '../src/policy/policy';
import { labelLog } from './label-log';
import { LogBuilder } from './log-builder';
import { policyTexts } from './policy-texts';
import { RUNS } from './properties/cases';

const TEXTS = policyTexts();
const T0 = 1_700_000_000_000;
/** Policies to label with: each is read, compiled and labelled by, which takes as long as many cases of another property. */
const POLICIES = Math.ceil(0.05 * RUNS.numRuns);

type Place = readonly (string | number)[];

/** Every leaf of a JSON value. */
function* placesOf(value: unknown, at: Place = []): Generator<Place> {
  if (typeof value !== 'object' || value === null) yield at;
  else for (const [name, member] of Object.entries(value)) yield* placesOf(member, [...at, Array.isArray(value) ? Number(name) : name]);
}

function withLeaf(text: string, place: Place, leaf: unknown): string {
  const content = JSON.parse(text) as Record<string | number, unknown>;
  const parent = place
    .slice(0, -1)
    .reduce<Record<string | number, unknown>>((node, part) => node[part] as Record<string | number, unknown>, content);
  parent[place.at(-1) ?? ''] = leaf;
  return JSON.stringify(content, null, 2);
}

function policyOrFaults(texts: Readonly<Record<string, string>>): Policy | PolicyError {
  try {
    return parsePolicy(texts);
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
}

const anyLeaf = fc
  .constantFrom(...Object.keys(TEXTS))
  .chain((file) => fc.record({ file: fc.constant(file), place: fc.constantFrom(...placesOf(JSON.parse(TEXTS[file] ?? ''))) }));

const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    '',
    'mood',
    'Buy.',
    '{',
    '{mood}',
    '{winner}',
    [],
    ['mood'],
    {},
    { fact: 'mood' },
    -1,
    0,
    0.5,
    1,
    1e9,
  ),
  fc.string({ maxLength: 5 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

test('whatever stands in one place of one file: a policy, or faults that each name a file and a line of it', () => {
  fc.assert(
    fc.property(anyLeaf, anything, ({ file, place }, leaf) => {
      const texts = { ...TEXTS, [file]: withLeaf(TEXTS[file] ?? '', place, leaf) };
      const read = policyOrFaults(texts);
      if (!(read instanceof PolicyError)) return;
      expect(read.faults.length).toBeGreaterThan(0);
      for (const fault of read.faults) {
        const lines = (texts[fault.file] ?? '').split('\n').length;
        expect([fault.message, (fault.line ?? 0) >= 1 && (fault.line ?? 0) <= lines]).toEqual([fault.message, true]);
      }
    }),
    RUNS,
  );
});

const numbersOf = (place: Place): fc.Arbitrary<number> => {
  const name = String(place.at(-1));
  if (name.endsWith('_ms')) return fc.integer({ min: 1, max: 400 }).map((intervals) => intervals * 10_000);
  if (name.endsWith('_packets') || name.endsWith('_total') || name === 'packets' || name === 'returns')
    return fc.integer({ min: 1, max: 40 });
  return fc.oneof(fc.constantFrom(0, 1, 1e-6, 1e-9, 0.999999, 2, 1e9), fc.double({ min: 0, max: 3, noNaN: true }));
};

const numericPlaces = [...placesOf(JSON.parse(TEXTS['numbers.json'] ?? ''))].filter(
  (place) => place[0] !== 'version' && place[0] !== 'state_composites' && place.at(-1) !== 'calibrated',
);
const otherNumbers = fc.array(
  fc.constantFrom(...numericPlaces).chain((place) => fc.record({ place: fc.constant(place), value: numbersOf(place) })),
  { minLength: 1, maxLength: 3 },
);

/** Seventy packets of a market that moves, trades, is liquidated, falls silent for a while and has a gap. */
function lively(): LogBuilder {
  const log = new LogBuilder(T0 - 10_000).connected().tick(T0 - 9_750);
  for (let i = 0; i < 70; i++) {
    const endMs = T0 + i * 10_000;
    const mid = 1_000 + ((i * 7) % 11);
    if (i === 30) log.gap('gap_a', undefined, endMs - 9_000, endMs - 8_000);
    if (i < 40 || i > 42) {
      log.book(
        endMs - 9_500,
        [
          [mid - 1, 1 + (i % 9)],
          [mid - 2, 3],
        ],
        [
          [mid + 1, 1 + (i % 4)],
          [mid + 3, 2],
        ],
      );
      log.book(endMs - 600, [[mid - 1, 1 + ((i * 3) % 9)]], [[mid + 1, 1]]);
    }
    for (let trade = 0; trade < i % 13; trade++) log.trade(endMs - 500 + trade, (i + trade) % 3 === 0 ? 'sell' : 'buy', mid, 1 + trade);
    if (i % 6 === 0)
      log.context(endMs - 400, { fundingRate: String(i / 1_000_000), openInterest: String(1_000 + i * 3), markPrice: String(mid) });
    if (i % 17 === 16) log.liquidation(endMs - 300, i % 2 === 0 ? 'long' : 'short', mid, 40, i % 3 === 0 ? 'proxy' : 'venue_reported');
    log.tick(endMs + 1_000);
  }
  return log;
}

test('with any numbers that are not refused the labeler makes every packet, each score in 0..1', () => {
  const { events } = lively();
  let labelled = 0;
  fc.assert(
    fc.property(otherNumbers, (changes) => {
      const text = changes.reduce((written, { place, value }) => withLeaf(written, place, value), TEXTS['numbers.json'] ?? '');
      const policy = policyOrFaults({ ...TEXTS, 'numbers.json': text });
      if (policy instanceof PolicyError) return fc.pre(false);
      labelled++;
      const results = labelLog(events, createState('BTCUSD-PERP', policy));
      expect(results.length).toBeGreaterThan(0);
      for (const { packet } of results) {
        const scores = [
          ...packet.state_decision_trace.candidate_states.map(({ score }) => score),
          packet.event_severity.score,
          packet.confidence.score,
          packet.novelty_score,
        ];
        expect(scores.filter((score) => !(score >= 0 && score <= 1))).toEqual([]);
      }
    }),
    { numRuns: POLICIES },
  );
  expect(labelled).toBeGreaterThanOrEqual(POLICIES);
});
