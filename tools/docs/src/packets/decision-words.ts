import { COMPOSITES, type CompositeName, type Packet } from '@market-state/labeler';
import { ABSENCES, capital, compositesOf, FLAGS, labelOf, POLICY, TERMS, numberText } from './figure-words';

type State = Packet['state'];
type Terms = Readonly<Record<string, number | null>>;

export interface TermRow {
  readonly name: string;
  readonly meaning: string;
  readonly value: string;
}

/** Terms of a candidate's score by group: those of each composite it reads, then its own. */
export interface TermGroup {
  readonly title: string;
  readonly rows: readonly TermRow[];
}

/** The rule in words, and with this packet's numbers: `0.6 × 0.794 + 0.4 × 0.6 = 0.716`. */
export function scoreWords(packet: Packet): { readonly rule: string; readonly sum: string } {
  const { winner_state: winner } = packet.state_decision_trace;
  const score = candidateOf(packet, winner).score;
  const { rule, sum, raw } = formulaOf(packet, winner);
  const { open_score: floor } = POLICY.numbers.candidates;
  const raised = raw !== null && raw < floor && score === floor;
  if (raised) return { rule, sum: `${sum} = ${numberText(raw)}, raised to ${numberText(score)}, the minimum score of an open state` };
  return { rule, sum: sum === '' ? '' : `${sum} = ${numberText(score)}` };
}

export function termGroups(packet: Packet): readonly TermGroup[] {
  const { winner_state: winner, composites } = packet.state_decision_trace;
  const { terms, term_notes: notes } = candidateOf(packet, winner);
  const own = rowsOf(terms, notes);
  return [
    ...compositesOf(winner).map((name) => ({
      title: capital(labelOf('drivers', name)),
      rows: rowsOf(composites[name].terms, composites[name].term_notes),
    })),
    ...(own.length === 0 ? [] : [{ title: labelOf('states', winner), rows: own }]),
  ];
}

export const LABELLED_COMPOSITES: readonly (readonly [name: CompositeName, label: string])[] = COMPOSITES.map((name) => [
  name,
  capital(labelOf('drivers', name)),
]);

export function rankedCandidates(packet: Packet): readonly { readonly state: State; readonly score: number; readonly outcome: string }[] {
  const { candidate_states: candidates, rejected_states: rejected, winner_state: winner } = packet.state_decision_trace;
  const outcomeOf = (state: State): string => {
    if (state === winner) return 'wins';
    return labelOf('rejection_reasons', rejected.find((each) => each.state === state)?.reason ?? 'outscored');
  };
  return candidates
    .map(({ state, score }) => ({ state, score, outcome: outcomeOf(state) }))
    .sort((one, other) => Number(other.state === winner) - Number(one.state === winner) || other.score - one.score);
}

function candidateOf(packet: Packet, state: State): Packet['state_decision_trace']['candidate_states'][number] {
  const candidate = packet.state_decision_trace.candidate_states.find((each) => each.state === state);
  if (candidate === undefined) throw new Error(`${packet.packet_id} has no candidate ${state}`);
  return candidate;
}

function rowsOf(terms: Terms, notes: Readonly<Record<string, string>> = {}): readonly TermRow[] {
  return Object.entries(terms)
    .filter(([name]) => name !== 'pressure_signed')
    .sort(([one], [other]) => TERM_ORDER.indexOf(one) - TERM_ORDER.indexOf(other))
    .map(([name, value]) => ({ name, meaning: TERMS[name] ?? name.replaceAll('_', ' '), value: termText(name, value, notes) }));
}

const TERM_ORDER = Object.keys(TERMS);

function termText(name: string, value: number | null, notes: Readonly<Record<string, string>>): string {
  if (value === null) return ABSENCES[notes[name] ?? ''] ?? 'not reported';
  return FLAGS.has(name) ? (value === 1 ? 'yes' : 'no') : numberText(value);
}

interface Formula {
  readonly rule: string;
  readonly sum: string;
  /** Result of the formula; null if there is nothing to compute. */
  readonly raw: number | null;
}

function formulaOf(packet: Packet, state: State): Formula {
  const { composites } = packet.state_decision_trace;
  const { candidates: weights } = POLICY.numbers;
  const norm = (name: CompositeName): number => composites[name].norm ?? 0;
  const [p, f] = [norm('pressure'), norm('flow')];
  const { terms } = candidateOf(packet, state);
  const t = numberText;
  switch (state) {
    case 'pressure_building':
      return {
        rule: `${weights.pressure_weight} × norm of book pressure + ${weights.flow_weight} × norm of trade flow if it leans the same way`,
        sum: `${weights.pressure_weight} × ${t(p)} + ${weights.flow_weight} × ${t(f)} × ${terms['sides_agree'] ?? 0}`,
        raw: weights.pressure_weight * p + weights.flow_weight * f * (terms['sides_agree'] ?? 0),
      };
    case 'flow_shift_watch': {
      const discount = weights.flow_shift_pressure_discount;
      return {
        rule: `${weights.flow_shift_weight} × norm of trade flow × (1 − ${discount} × norm of book pressure)`,
        sum: `${weights.flow_shift_weight} × ${t(f)} × (1 − ${discount} × ${t(p)})`,
        raw: weights.flow_shift_weight * f * (1 - discount * p),
      };
    }
    case 'fragile_depth_watch':
      return product(`${weights.fragility_weight} × norm of queue fragility`, weights.fragility_weight, norm('fragility'));
    case 'depth_watch':
      return {
        rule: `${weights.depth_weight} × norm of book pressure × (1 − norm of trade flow)`,
        sum: `${weights.depth_weight} × ${t(p)} × (1 − ${t(f)})`,
        raw: weights.depth_weight * p * (1 - f),
      };
    case 'crowding_shift':
      return product('norm of crowding × change', norm('crowding'), terms['crowding_change'] ?? 0);
    case 'crowding_persistent':
      return product('norm of crowding × share', norm('crowding'), terms['crowded_share'] ?? 0);
    case 'regime_transition_candidate':
      return product(`${weights.regime_weight} × norm of volatility regime`, weights.regime_weight, norm('regime'));
    case 'market_state_watch':
      return { rule: 'the floor state, which wins when no other state is open', sum: '', raw: null };
    case 'replay_context_ready':
      return { rule: '1 if there is a book past its staleness limit', sum: '', raw: null };
    case 'insufficient_evidence':
      return { rule: `1 without a book, or with source support below ${weights.support_minimum}`, sum: '', raw: null };
  }
}

function product(rule: string, one: number, other: number): Formula {
  return { rule, sum: `${numberText(one)} × ${numberText(other)}`, raw: one * other };
}
