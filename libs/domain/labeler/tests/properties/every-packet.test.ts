import fc from 'fast-check';
import type { PacketResult } from '../../src/index';
import { labelLog, POLICY } from '../label-log';
import { repeatedSentences, sentencesByPlace, sentencesOf, sentencesOfFields, unitFaults } from '../sentences';
import { marketCase, openCase, RUNS } from './cases';

/** Throws where the packet, or what it says of the one before it, breaks the rule. */
type Rule = (result: PacketResult, before: PacketResult | undefined) => void;

const inUnit = (value: number | null): boolean => value === null || (value >= 0 && value <= 1);

const hasScoresInUnit: Rule = ({ packet }) => {
  const { winner_score: winner, runner_up_score: runnerUp, state_margin: margin, winner_state: winnerState } = packet.state_diagnosis;
  const { candidate_states: candidates, composites } = packet.state_decision_trace;
  const scores = candidates.map(({ score }) => score);
  const parts = Object.values(composites).flatMap(({ score, norm }) => [score, norm]);
  const read = [
    packet.event_severity.score,
    packet.confidence.score,
    packet.contradiction_score,
    packet.novelty_score,
    packet.packet_quality.source_support_ratio,
  ];
  expect([...scores, ...parts, ...read].filter((value) => !inUnit(value))).toEqual([]);
  expect(winner).toBe(Math.max(...scores));
  expect(candidates.find(({ state }) => state === winnerState)?.score).toBe(winner);
  expect([...scores].sort((a, b) => b - a)[1]).toBe(runnerUp);
  expect(margin).toBe(Math.round((winner - runnerUp) * 1e6) / 1e6);
};

const atOnce = new Set(['insufficient_evidence', 'replay_context_ready']);

const openOf = (packet: PacketResult['packet'], state: string): boolean =>
  packet.state_decision_trace.candidate_states.find((candidate) => candidate.state === state)?.terms['open'] !== 0;

const keepsDwell: Rule = ({ packet }, result) => {
  if (result === undefined) return;
  const before = result.packet;
  const { winner_state: winner } = packet.state_diagnosis;
  const { publication } = packet.state_decision_trace;
  const lost = winner === before.state ? 0 : before.state_decision_trace.publication.lost_streak + 1;
  const won = before.state_diagnosis.winner_state === winner ? before.state_decision_trace.publication.winner_streak + 1 : 1;
  const beaten = (before.state === 'market_state_watch' ? lost : won) >= POLICY.numbers.dwell.packets;
  const mayMove = beaten || !openOf(packet, before.state) || atOnce.has(winner) || atOnce.has(before.state);
  expect(packet.state).toBe(mayMove ? winner : before.state);
  expect(packet.state_age_packets).toBe(packet.state === before.state ? before.state_age_packets + 1 : 1);
  expect([publication.winner_streak, publication.lost_streak]).toEqual([won, packet.state === winner ? 0 : lost]);
};

const publishesEvidence: Rule = ({ packet }) => {
  expect(openOf(packet, packet.state)).toBe(true);
  const source = atOnce.has(packet.state_diagnosis.winner_state);
  const open = packet.state_decision_trace.candidate_states.some(({ terms }) => terms['open'] === 1);
  expect(packet.state_diagnosis.winner_state === 'market_state_watch').toBe(!source && !open);
};

const holdsByItsLaw: Rule = ({ packet }, result) => {
  if (result === undefined) return;
  for (const [name, composite] of Object.entries(packet.state_decision_trace.composites)) {
    const before = result.packet.state_decision_trace.composites[name as keyof typeof packet.state_decision_trace.composites];
    const score = composite.score ?? 0;
    const heldBefore = before.held && before.side === composite.side;
    const held = score >= composite.enter_at || (score >= composite.leave_at && heldBefore);
    expect([name, composite.held, composite.held_packets]).toEqual([name, held, held ? (heldBefore ? before.held_packets : 0) + 1 : 0]);
    expect(composite.enter_at).toBe(composite.watch);
  }
};

const isSevereByItsBounds: Rule = ({ packet }) => {
  const { score, severity_class: severityClass, basis, bounds } = packet.event_severity;
  expect([bounds.elevated < bounds.high, bounds.high < bounds.critical]).toEqual([true, true]);
  if (atOnce.has(packet.state_diagnosis.winner_state)) expect([score, severityClass, basis]).toEqual([0, 'routine_context', []]);
  const reached = [bounds.elevated, bounds.high, bounds.critical].filter((bound) => score >= bound).length;
  expect(severityClass).toBe(['routine_context', 'elevated_context', 'high_context', 'critical_context'][reached]);
};

const known = (kind: string) => POLICY.taxonomy.kinds.get(kind) ?? new Map<string, unknown>();
const families = known('tag_families');
const horizons = known('tag_horizons');

const usesKnownWords: Rule = ({ packet }) => {
  const words: readonly (readonly [kind: string, word: string])[] = [
    ['states', packet.state],
    ['states', packet.state_diagnosis.winner_state],
    ['event_classes', packet.event_class],
    ['event_profiles', packet.event_profile],
    ['directions', packet.market_read_direction],
    ['severity_classes', packet.event_severity.severity_class],
    ['diagnosis_classes', packet.state_diagnosis.diagnosis_class],
    ['transition_types', packet.transition_type],
    ['confidence_labels', packet.confidence.label],
    ['quality_classes', packet.packet_quality.quality_class],
    ['source_quality_classes', packet.source_quality_class],
    ...packet.packet_quality.gap_flags.map((flag) => ['gap_flags', flag] as const),
    ...packet.workflow_routes.map((route) => ['workflow_routes', route] as const),
    ...packet.reason_details.map(({ reason_family: family }) => ['reason_families', family] as const),
  ];
  expect(words.filter(([kind, word]) => !known(kind).has(word))).toEqual([]);
  const tags = packet.tags.map((tag) => tag.split(':'));
  expect(tags.filter(([family = '', , horizon]) => !families.has(family) || (horizon !== undefined && !horizons.has(horizon)))).toEqual([]);
};

const saysItsFields: Rule = ({ packet }) => {
  expect(sentencesByPlace(packet)).toEqual(sentencesOfFields(packet));
  expect([...sentencesOf(packet).flatMap(unitFaults), ...repeatedSentences(packet)]).toEqual([]);
};

const goesOnTheChain: Rule = ({ packet, previousLineageDigest, lineageDigest }, before) => {
  if (before !== undefined) expect(previousLineageDigest).toBe(before.lineageDigest);
  expect(packet.previous_lineage_digest).toBe(previousLineageDigest);
  expect(lineageDigest).not.toBe(previousLineageDigest);
};

const rules: Readonly<Record<string, Rule>> = {
  'has every score in 0..1, and a margin that is winner less runner-up': hasScoresInUnit,
  'changes its state only as dwell allows': keepsDwell,
  'publishes what is open, the floor or a source state': publishesEvidence,
  'holds each composite by its score and the packet before': holdsByItsLaw,
  'has the severity class that its bounds give its score': isSevereByItsBounds,
  'speaks in words of the taxonomy alone': usesKnownWords,
  'says what its fields hold, once and in the units of people': saysItsFields,
  'goes on the chain of the packet before it': goesOnTheChain,
};

/** The rule that a case breaks first; making the packets is most of the work, so all rules look at the same ones. */
let broken: { readonly rule: string; readonly report: string } | undefined;

beforeAll(() => {
  let rule = 'none, making the packets threw';
  const outcome = fc.check(
    fc.property(marketCase, (market) => {
      const { state, events } = openCase(market);
      let before: PacketResult | undefined;
      for (const result of labelLog(events, state())) {
        for (const [name, check] of Object.entries(rules)) {
          rule = name;
          check(result, before);
        }
        before = result;
      }
      rule = 'none, making the packets threw';
    }),
    RUNS,
  );
  if (outcome.failed) broken = { rule, report: fc.defaultReportMessage(outcome) ?? '' };
});

test.each(Object.keys(rules))('every packet %s', (name) => {
  if (broken !== undefined)
    throw new Error(broken.rule === name ? broken.report : `not shown to the end, broken first: ${broken.rule}\n${broken.report}`);
});
