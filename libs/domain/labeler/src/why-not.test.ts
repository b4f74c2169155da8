import fc from 'fast-check';
import { RUNS } from '../tests/properties/cases';
import { recordingPackets } from '../tests/recording-packets';
import { scoreCandidates, decide, publish } from './decision/decide';
import { againstThresholds, type CompositeSignals } from './composites/composites';
import type { Packet } from './packet/packet';
import { round6 } from './numbers/round';
import { POLICY_NUMBERS } from './policy/numbers';
import type { CompositeRead, Side, StateName } from './read';
import { COMPOSITES, type CompositeName } from './names';
import { defaultCalibration, mapComposites, NOTHING_HELD_BEFORE, type HeldMemories, type HeldMemory } from './composites/thresholds';
import { contestOf, type DecidedPacket, whyNot } from './why-not';

const UNITS = 1_000_000;
const { pairs } = defaultCalibration(POLICY_NUMBERS, 0);
const isSigned = (name: CompositeName): boolean => name === 'pressure' || name === 'flow';

/** Everything that a decision reads: signed scores in millionths, what was held before, C of the packets before. */
interface Market {
  readonly units: Readonly<Record<CompositeName, number>>;
  readonly before: HeldMemories;
  readonly earlierCrowding: readonly number[];
  readonly bookStale: boolean;
  readonly imbalance5: number;
  readonly activity: number;
}

/** The decision of a market, by the labeler's own steps. */
function decisionOf({ units, before, earlierCrowding, bookStale, imbalance5, activity }: Market, numbers = POLICY_NUMBERS) {
  const signals = mapComposites((name) => ({
    score: Math.abs(units[name]) / UNITS,
    side: (isSigned(name) ? Math.sign(units[name]) : 0) as Side,
    signed: units[name] / UNITS,
    available: true,
    terms: [],
  })) as CompositeSignals;
  const composites = againstThresholds(signals, pairs, before, numbers);
  const input = {
    composites,
    pressureSide: composites.pressure.side,
    flowSide: composites.flow.side,
    imbalance5,
    activity,
    crowding: composites.crowding.score,
    crowdingWatch: composites.crowding.watch,
    earlierCrowding,
    sourceSupportRatio: 0.8,
    bookSeen: true,
    bookStale,
  };
  return { composites, decision: decide(scoreCandidates(input, numbers)) };
}

const SIDE_WORDS = { pressure: ['ask', 'none', 'bid'], flow: ['sell', 'none', 'buy'] } as const;

/** The trace that a packet of this market has. */
function packetOf(market: Market, numbers = POLICY_NUMBERS): DecidedPacket {
  const { composites, decision } = decisionOf(market, numbers);
  const traceOf = (name: CompositeName, read: CompositeRead) => ({
    ...{ score: read.score, norm: read.norm, watch: read.watch, elevated: read.elevated, held: read.held },
    ...{ leave_at: read.leaveAt, held_packets: read.heldPackets },
    side: name === 'pressure' || name === 'flow' ? SIDE_WORDS[name][read.side + 1] : 'none',
  });
  const trace = {
    winner_state: decision.winner,
    runner_up_state: decision.runnerUp,
    candidate_states: decision.candidates.map(({ state, score, terms }) => ({
      state,
      score,
      terms: Object.fromEntries(terms.map((term) => [term.name, term.value])),
    })),
    composites: mapComposites((name) => traceOf(name, composites[name])),
    imbalances: { top5: market.imbalance5 },
  };
  return { state_decision_trace: trace as unknown as Packet['state_decision_trace'], previous_lineage_digest: 'f'.repeat(64) };
}

/** A packet whose trace says the same, with what was held in it. */
function beforeOf(memories: HeldMemories): DecidedPacket {
  const traceOf = (name: CompositeName, { side, packets }: HeldMemory) => ({
    side: name === 'pressure' || name === 'flow' ? SIDE_WORDS[name][side + 1] : 'none',
    held_packets: packets,
  });
  const composites = mapComposites((name) => traceOf(name, memories[name]));
  return { state_decision_trace: { composites } as unknown as Packet['state_decision_trace'], previous_lineage_digest: 'f'.repeat(64) };
}

const unsigned = fc.oneof(fc.integer({ min: 0, max: UNITS }), fc.integer({ min: 0, max: 600_000 }));
const signed = fc.oneof(fc.integer({ min: -UNITS, max: UNITS }), fc.integer({ min: -400_000, max: 400_000 }));
const memory = fc.record({ side: fc.constantFrom<Side>(-1, 1), packets: fc.constantFrom(0, 1, 7) });
const memoryWithoutSide = memory.map(({ packets }) => ({ side: 0 as Side, packets }));
const each = <T>(make: (name: CompositeName) => fc.Arbitrary<T>) =>
  fc.record(Object.fromEntries(COMPOSITES.map((name) => [name, make(name)])) as Record<CompositeName, fc.Arbitrary<T>>);
const markets: fc.Arbitrary<Market> = fc.record({
  units: each((name) => (isSigned(name) ? signed : unsigned)),
  before: each((name) => (isSigned(name) ? memory : memoryWithoutSide)),
  earlierCrowding: fc.oneof(
    fc.array(
      fc.integer({ min: 0, max: UNITS }).map((units) => units / UNITS),
      { minLength: 1, maxLength: 60 },
    ),
    fc.constantFrom(0.2, 0.45, 0.7).map((value) => Array<number>(60).fill(value)),
  ),
  bookStale: fc.constant(false),
  imbalance5: fc.constantFrom(-0.9, -0.25, 0, 0.3, 1),
  activity: fc.constantFrom(0.5, 1, 1.5),
});

/** Values on both sides of an own one that are looked at one by one. */
const LOOKED_AT = 400;

function winnerWith(market: Market, composite: CompositeName, units: number): StateName {
  return decisionOf({ ...market, units: { ...market.units, [composite]: units } }).decision.winner;
}

test('the change makes the runner-up win, one step less does not, and no nearer value does', () => {
  let found = 0;
  fc.assert(
    fc.property(markets, fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 }), (market, drawn) => {
      const answer = whyNot(packetOf(market), { packet: beforeOf(market.before), contest: null }, POLICY_NUMBERS);
      if (answer === null) throw new Error('the trace is read as another decision');
      const { decision } = decisionOf(market);
      expect([answer.winner, answer.runnerUp, answer.undecided, answer.absent]).toEqual([decision.winner, decision.runnerUp, [], []]);
      expect([...answer.changes.map(({ composite }) => composite), ...answer.never].sort()).toEqual([...COMPOSITES].sort());
      const sizes = answer.changes.map(({ from, to }) => Math.abs(Math.round(to * UNITS) - Math.round(from * UNITS)));
      expect(sizes).toEqual([...sizes].sort((one, other) => one - other));
      for (const { composite, from, to } of answer.changes) {
        found++;
        const [own, wanted] = [Math.round(from * UNITS), Math.round(to * UNITS)];
        expect(own).toBe(market.units[composite]);
        expect(winnerWith(market, composite, wanted)).toBe(answer.runnerUp);
        const size = Math.abs(wanted - own);
        const lowest = isSigned(composite) ? -UNITS : 0;
        const nearer = [
          ...drawn.map((share) => Math.trunc(share * (size - 1))),
          ...Array.from({ length: 2 * LOOKED_AT + 1 }, (_none, at) => at - LOOKED_AT),
          size - 1,
          1 - size,
        ]
          .filter((step) => Math.abs(step) < size)
          .map((step) => own + step)
          .filter((units) => units >= lowest && units <= UNITS);
        expect(nearer.filter((units) => winnerWith(market, composite, units) === answer.runnerUp)).toEqual([]);
      }
      for (const composite of answer.never) {
        const units = drawn.map((share) => Math.round((isSigned(composite) ? share : Math.abs(share)) * UNITS));
        expect([composite, units.filter((one) => winnerWith(market, composite, one) === answer.runnerUp)]).toEqual([composite, []]);
      }
    }),
    RUNS,
  );
  expect(found).toBeGreaterThan(10);
});

test.each([2, 3])('unknown what was held before, an answer is given only if that would not change it: %i packets open a state', (held) => {
  const numbers = { ...POLICY_NUMBERS, dwell: { ...POLICY_NUMBERS.dwell, held_packets: held } };
  fc.assert(
    fc.property(markets, (market) => {
      const packet = packetOf(market, numbers);
      const [known, unknown] = [beforeOf(market.before), null].map((before) => whyNot(packet, { packet: before, contest: null }, numbers));
      for (const change of unknown?.changes ?? []) expect(known?.changes).toContainEqual(change);
      for (const composite of unknown?.never ?? []) expect(known?.never).toContain(composite);
    }),
    RUNS,
  );
});

/** The markets of cases worked by hand: nothing held before, no packets of C before. */
function market(units: Partial<Record<CompositeName, number>>, fields: Partial<Market> = {}): Market {
  const before = mapComposites(() => ({ side: 0 as Side, packets: 0 }));
  return {
    units: mapComposites((name) => units[name] ?? 0),
    before,
    earlierCrowding: [0.1],
    bookStale: false,
    imbalance5: 0.9,
    activity: 1,
    ...fields,
  };
}

function answerTo(units: Partial<Record<CompositeName, number>>, fields: Partial<Market> = {}) {
  const one = market(units, fields);
  return whyNot(packetOf(one), { packet: beforeOf(one.before), contest: contestOf(HELD_BY_FLOOR) }, POLICY_NUMBERS);
}

const HELD_BY_FLOOR = [{ state: 'market_state_watch', winner_state: 'market_state_watch' }];

const UNIT = 1e-6;
const watchUnits = (name: CompositeName): number => Math.round(POLICY_NUMBERS.thresholds[name].watch / UNIT);

const heldOnce = (side: Side): HeldMemory => ({ side, packets: 1 });

test('worked by hand: fragility just under its exit threshold against a floor that wins', () => {
  const { fragility } = POLICY_NUMBERS.thresholds;
  const leave = round6(POLICY_NUMBERS.calibration.leave_ratio * fragility.watch);
  const before = { ...NOTHING_HELD_BEFORE, fragility: heldOnce(0) };
  // Closed, so at most 0.34. From leave on held for a second packet, so open: 0.36 against 0.35.
  expect(answerTo({ fragility: Math.round(leave / UNIT) - 1 }, { before })).toMatchObject({
    winner: 'market_state_watch',
    changes: [
      {
        composite: 'fragility',
        from: round6(leave - UNIT),
        to: leave,
        margin: 0.01,
        published: { state: 'market_state_watch', rule: 'held_by_dwell' },
      },
    ],
    never: ['pressure', 'flow', 'crowding', 'forced_flow', 'regime'],
  });
});

test('worked by hand: what was not held before opens no state in one packet', () => {
  expect(answerTo({ fragility: watchUnits('fragility') - 1 })).toMatchObject({
    winner: 'market_state_watch',
    runnerUp: 'fragile_depth_watch',
    changes: [],
    never: COMPOSITES,
  });
});

test('worked by hand: flow over depth; the book would have had to lean more, or less be traded', () => {
  // P̂ = 0.5 and F̂ = 0.5 at watch, opposite sides: flow 0.75 × 0.5 × 0.75 = 0.28, depth 0.75 × 0.5 × 0.5 = 0.19; both are open, 0.36.
  const { watch } = POLICY_NUMBERS.thresholds.flow;
  const before = { ...NOTHING_HELD_BEFORE, pressure: heldOnce(1), flow: heldOnce(-1) };
  const answer = answerTo({ pressure: watchUnits('pressure'), flow: -watchUnits('flow') }, { before });
  expect([answer?.winner, answer?.runnerUp]).toEqual(['flow_shift_watch', 'depth_watch']);
  // A book that leans more opens nothing else, but depth gains and flow loses: 0.75 × P̂ × 0.5 over 0.36 needs P̂ = 0.96.
  expect(answer?.changes.map(({ composite }) => composite)).toEqual(['pressure', 'flow']);
  // One step under leave flow is not held; depth stays open with at least 0.36.
  const leave = round6(POLICY_NUMBERS.calibration.leave_ratio * watch);
  expect(answer?.changes[1]).toMatchObject({ composite: 'flow', from: -watch, to: -round6(leave - UNIT) });
});

test('what the sources lack is beaten by no score', () => {
  expect(answerTo({ fragility: 900_000 }, { bookStale: true })).toMatchObject({ isSourceState: true, changes: [], never: [] });
});

test('a trace whose scores do not follow from it is not read', () => {
  const packet = packetOf(market({ fragility: 340_000 }));
  const [first] = packet.state_decision_trace.candidate_states;
  const other = { ...packet.state_decision_trace, candidate_states: [{ ...first, score: 0.5 }] } as Packet['state_decision_trace'];
  expect(whyNot({ ...packet, state_decision_trace: other }, { packet: null, contest: null }, POLICY_NUMBERS)).toBeNull();
});

test('every packet of a recording is read as its own decision, and its published state as its own rule', () => {
  const packets = recordingPackets('BTCUSD-PERP').map(({ packet }) => packet);
  packets.forEach((packet, at) => {
    const [before = null] = packets.slice(at - 1, at);
    const rows = packets.slice(0, at).map(({ state, state_diagnosis: { winner_state } }) => ({ state, winner_state }));
    const contest = contestOf(rows);
    const answer = whyNot(packet, { packet: before, contest }, POLICY_NUMBERS);
    const { winner_state: winner, runner_up_state: runnerUp, candidate_states: candidates, publication } = packet.state_decision_trace;
    expect([answer?.winner, answer?.runnerUp]).toEqual([winner, runnerUp]);
    const open = candidates.map(({ state, terms }) => ({ state, score: 0, terms: [], open: 'open' in terms ? terms['open'] === 1 : null }));
    const { published } = publish(contest, { winner, candidates: open }, 0, POLICY_NUMBERS);
    expect([published.state, published.rule, published.lostStreak]).toEqual([packet.state, publication.rule, publication.lost_streak]);
  });
});
