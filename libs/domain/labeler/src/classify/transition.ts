import type { PolicyNumbers } from '../policy/numbers';
import type { CompositeName, CompositeRead, DiagnosisClass, MarketRead, StateName, TransitionType } from '../read';

interface TransitionInput {
  readonly packetsBefore: number;
  /** First packet after a cut of all channels. */
  readonly afterCut: boolean;
  readonly stateChanged: boolean;
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly countedTags: readonly string[];
  readonly previous: { readonly eventClass: string; readonly eventProfile: string; readonly countedTags: readonly string[] } | null;
}

/**
 * Transition type, the first that holds: `lineage_context_pending` with fewer than 6 earlier packets or after a cut of
 * all channels; `state_changed`; `same_state_new_context` if event class, profile or the set of counted tags differs
 * from the previous packet; `state_reaffirmed`. Source: ours.
 */
export function transitionType(input: TransitionInput, { minimums }: PolicyNumbers): TransitionType {
  if (input.packetsBefore < minimums.lineage_packets || input.afterCut || input.previous === null) return 'lineage_context_pending';
  if (input.stateChanged) return 'state_changed';
  const { previous } = input;
  const newContext =
    previous.eventClass !== input.eventClass ||
    previous.eventProfile !== input.eventProfile ||
    !sameTags(previous.countedTags, input.countedTags);
  return newContext ? 'same_state_new_context' : 'state_reaffirmed';
}

function sameTags(a: readonly string[], b: readonly string[]): boolean {
  const known = new Set(a);
  return known.size === new Set(b).size && b.every((tag) => known.has(tag));
}

/**
 * Diagnosis class, the first that holds: `contested_context_review` from a contradiction of 0.35; `active_context_read`
 * from a margin of 0.10 if the winner crossed a threshold, i.e. a composite of its state (state_composites) is at or
 * above watch; `competing_state_read`. Source: ours.
 */
export function diagnosisClass(
  contradictionScore: number,
  { winner, margin }: MarketRead['decision'],
  composites: Readonly<Record<CompositeName, CompositeRead>>,
  numbers: PolicyNumbers,
): DiagnosisClass {
  if (contradictionScore >= numbers.diagnosis.contested_contradiction) return 'contested_context_review';
  if (margin >= numbers.diagnosis.active_margin && crossed(winner, composites, numbers)) return 'active_context_read';
  return 'competing_state_read';
}

function crossed(state: StateName, composites: Readonly<Record<CompositeName, CompositeRead>>, numbers: PolicyNumbers): boolean {
  return numbers.state_composites[state].some((name) => composites[name].score >= composites[name].watch);
}
