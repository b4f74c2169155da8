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

const keepsDwell: Rule = ({ packet }, result) => {
  if (result === undefined) return;
  const before = result.packet;
  const { winner_state: winner, state_margin: margin } = packet.state_diagnosis;
  const mayMove = before.state_diagnosis.winner_state === winner || margin >= 0.2 || atOnce.has(winner) || atOnce.has(before.state);
  expect(packet.state).toBe(mayMove ? winner : before.state);
  expect(packet.state_age_packets).toBe(packet.state === before.state ? before.state_age_packets + 1 : 1);
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
