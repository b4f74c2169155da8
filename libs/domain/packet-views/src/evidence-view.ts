import { type Packet, round6, COMPOSITES } from '@market-state/labeler';
import type { Definitions } from './definitions';
import { compositeViews } from './scores/composite-view';
import { featureViews } from './scores/feature-view';
import { thresholdViews } from './scores/threshold-views';
import { featureFamilyViews, sourceQualityView } from './family-status';

/** Evidence contained in a packet, without the stored rows behind it. */
export function evidenceView(packet: Packet, definitions: Definitions) {
  return {
    state: packet.state,
    state_label: packet.state_label,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    event_severity: packet.event_severity,
    confidence: packet.confidence,
    reference_prices: packet.reference_prices,
    decision: decisionView(packet, definitions),
    candidates: candidateViews(packet, definitions),
    features: featureViews(packet, definitions),
    composites: compositeViews(packet, definitions),
    thresholds: thresholdViews(packet, definitions),
    calibration: calibrationView(packet, definitions),
    reasons: reasonViews(packet),
    counterevidence: counterevidenceOf(packet),
    contradiction: { score: packet.contradiction_score, terms: packet.packet_quality.contradiction_terms },
    source_quality: sourceQualityView(packet, definitions),
    feature_families: featureFamilyViews(packet, definitions),
    gaps: packet.source_resolution.gaps,
    late_event_total: packet.source_resolution.late_event_total,
    policy: {
      policy_digest: packet.policy_digest,
      definitions_policy_digest: definitions.policyDigest,
      labeling_policy_version: packet.labeling_policy_version,
      reason_template_version: packet.reason_template_version,
      taxonomy_version: packet.taxonomy_version,
      confidence_policy_version: packet.confidence_policy_version,
      trace_version: packet.trace_version,
    },
  };
}

function publicationSentence(packet: Packet, { label }: Definitions): string {
  const { rule, winner_streak, lost_streak, streak_required } = packet.state_decision_trace.publication;
  const state = label('states', packet.state);
  switch (rule) {
    case 'first_packet':
      return `${state} is published: it won the first packet.`;
    case 'winner_is_published':
      return `${state} was already published and continues.`;
    case 'changed_to_winner':
      return `${state} is published from this packet on.`;
    case 'changed_on_release':
      return `${state} is published from this packet on: the previous state's conditions no longer hold.`;
    case 'held_by_dwell':
      return packet.state === 'market_state_watch'
        ? `${state} stays published: it has lost ${lost_streak} windows in a row and is replaced after ${streak_required}.`
        : `${state} stays published: the winner has won ${winner_streak} windows in a row and needs ${streak_required}.`;
  }
}

function decisionView(packet: Packet, definitions: Definitions) {
  const { winner_state, runner_up_state, state_margin, publication, trade_instruction, market_outcome_claim } = packet.state_decision_trace;
  const { winner_score, runner_up_score, diagnosis_class } = packet.state_diagnosis;
  const [winner, runnerUp] = [definitions.label('states', winner_state), definitions.label('states', runner_up_state)];
  return {
    winner_state,
    winner_score,
    runner_up_state,
    runner_up_score,
    state_margin,
    published_state: packet.state,
    publication_rule: publication.rule,
    winner_streak: publication.winner_streak,
    diagnosis_class,
    sentence:
      `${winner} scores ${winner_score}, ${state_margin} ahead of ${runnerUp} at ${runner_up_score}. ` +
      `${publicationSentence(packet, definitions)}`,
    trade_instruction,
    market_outcome_claim,
  };
}

type Candidate = Packet['state_decision_trace']['candidate_states'][number];

type CandidateOutcome = 'winner' | 'runner_up' | 'rejected';

function sentenceOf(label: string, candidate: Candidate, shortfall: number, reason: string | null, { meaning }: Definitions): string {
  if (reason === null) return `${label} scores ${candidate.score} and wins.`;
  const behind = shortfall === 0 ? 'as much as the winner' : `${shortfall} behind the winner`;
  return `${label} scores ${candidate.score}, ${behind}. ${meaning('rejection_reasons', reason)}`.trim();
}

function candidateViews(packet: Packet, definitions: Definitions) {
  const { candidate_states, rejected_states, winner_state, runner_up_state } = packet.state_decision_trace;
  const { winner_score } = packet.state_diagnosis;
  const outcomeOf = (state: string): CandidateOutcome =>
    state === winner_state ? 'winner' : state === runner_up_state ? 'runner_up' : 'rejected';
  return candidate_states
    .toSorted((a, b) => b.score - a.score)
    .map((candidate, index) => {
      const rejected = rejected_states.find(({ state }) => state === candidate.state);
      const label = definitions.label('states', candidate.state);
      const shortfall = round6(winner_score - candidate.score);
      const reason = rejected?.reason ?? null;
      return {
        state: candidate.state,
        label,
        rank: index + 1,
        score: candidate.score,
        shortfall,
        outcome: outcomeOf(candidate.state),
        rejection_reason: reason,
        sentence: sentenceOf(label, candidate, shortfall, reason, definitions),
        terms: candidate.terms,
        term_notes: candidate.term_notes ?? {},
      };
    });
}

function reasonViews({ reason_details: reasons }: Packet) {
  const withStance = (stance: (typeof reasons)[number]['stance']) => reasons.filter((reason) => reason.stance === stance);
  return { supports: withStance('supports'), weighs_against: withStance('weighs_against'), context: withStance('context') };
}

/** Sentences that weigh against a packet's read, or the one stating that there are none. */
export function counterevidenceOf({ client_reason_summary: summary, reason_details: reasons }: Packet): string[] {
  return summary.counterevidence.map((reported) => reasons.find(({ reason_id: id }) => id === reported)?.claim ?? reported);
}

type SourceWindowStatus = 'evidence_attached' | 'retained_companion_rows' | 'retained_context_rows';

export interface ChannelRows {
  /** Null if the venue does not report the channel. */
  readonly applied: number | null;
  readonly retainedInWindow: number;
  /** Rows of the window and of the earlier time that the packet also reads. */
  readonly retained: number;
}

/**
 * Availability of a packet's rows. `evidence_attached`: each channel still has all rows that the packet applied, at
 * least one in total. `retained_companion_rows`: some rows remain. `retained_context_rows`: only the packet remains.
 */
export function sourceWindowStatus(channels: readonly ChannelRows[]): SourceWindowStatus {
  const own = channels.filter(({ applied }) => applied !== null && applied > 0);
  if (own.length > 0 && own.every(({ applied, retainedInWindow }) => retainedInWindow >= (applied ?? 0))) return 'evidence_attached';
  return channels.some(({ retained }) => retained > 0) ? 'retained_companion_rows' : 'retained_context_rows';
}

function inWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** Sample size behind the thresholds, and which thresholds are calibrated from it. */
export function calibrationView(
  { calibration_context: calibration, calibration_version }: Packet,
  { composites, numbers, label }: Definitions,
) {
  const own = COMPOSITES.filter((name) => composites[name].calibrated);
  const { sample_event_total, samples_required, live_during_calibration } = calibration;
  return {
    ...calibration,
    calibration_version,
    sample_packets_max: numbers.windows.session_packets,
    own_quantile_composites: live_during_calibration ? [] : own,
    policy_default_composites: live_during_calibration ? [...COMPOSITES] : COMPOSITES.filter((name) => !own.includes(name)),
    sentence: live_during_calibration
      ? `Thresholds are policy defaults: ${sample_event_total} of the ${samples_required} session packets needed so far.`
      : `Thresholds of ${inWords(own.map((name) => label('drivers', name)))} are quantiles over ${sample_event_total} session packets of ` +
        `this symbol; the others are policy defaults.`,
  };
}

/** Context of a derived read: class, counterevidence, sources and calibration. */
export function derivedRead(packet: Packet, definitions: Definitions) {
  return {
    state: packet.state,
    state_label: packet.state_label,
    event_class: packet.event_class,
    event_profile: packet.event_profile,
    event_severity: packet.event_severity,
    confidence: { label: packet.confidence.label, score: packet.confidence.score },
    counterevidence: counterevidenceOf(packet),
    source_quality: sourceQualityView(packet, definitions),
    calibration: calibrationView(packet, definitions),
  };
}
