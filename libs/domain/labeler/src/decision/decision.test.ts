import fc from 'fast-check';
import { SMALL_RUNS } from '../../tests/properties/cases';
import { POLICY_NUMBERS } from '../policy/numbers';
import { STATES, type Side } from '../read';
import { scoreCandidates, decide } from './decide';

test('scores lie in 0..1, and the floor wins exactly where nothing is open and no source state holds', () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const side = fc.constantFrom<Side>(-1, 0, 1);
  const part = fc.record({ norm: unit, heldPackets: fc.integer({ min: 0, max: 4 }) });
  const composites = fc.record({ pressure: part, flow: part, fragility: part, crowding: part, forced_flow: part, regime: part });
  const arbitrary = fc.record({
    composites,
    pressureSide: side,
    flowSide: side,
    imbalance5: fc.double({ min: -1, max: 1, noNaN: true }),
    activity: fc.double({ min: 0, max: 5, noNaN: true }),
    crowding: unit,
    crowdingWatch: unit,
    earlierCrowding: fc.array(unit, { maxLength: 60 }),
    sourceSupportRatio: unit,
    bookSeen: fc.boolean(),
    bookStale: fc.boolean(),
  });
  fc.assert(
    fc.property(arbitrary, (fields) => {
      const candidates = scoreCandidates(fields, POLICY_NUMBERS);
      expect(candidates.map((candidate) => candidate.state)).toEqual(STATES);
      expect(candidates.filter(({ score }) => !(score >= 0 && score <= 1))).toEqual([]);
      const decision = decide(candidates);
      const open = candidates.filter((candidate) => candidate.open === true);
      expect(open.filter(({ score }) => !(score >= 0.36))).toEqual([]);
      expect(candidates.filter(({ open: isOpen, score }) => isOpen === false && !(score <= 0.34))).toEqual([]);
      const sourceState = fields.bookStale || !fields.bookSeen || fields.sourceSupportRatio < 0.4;
      expect(decision.winner === 'market_state_watch').toBe(open.length === 0 && !sourceState);
      expect(decision.winnerScore).toBe(Math.max(...candidates.map((candidate) => candidate.score)));
      expect(decision.margin).toBeCloseTo(decision.winnerScore - decision.runnerUpScore, 6);
    }),
    SMALL_RUNS,
  );
});
