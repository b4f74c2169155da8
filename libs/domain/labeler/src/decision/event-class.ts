import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import { SOURCE_STATES, type CompositeRead, type StateName, type DiagnosisClass, type MarketRead, type TransitionType } from '../read';
import type { CompositeName } from '../names';

export interface EventRead {
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly direction: string;
}

interface EventInput {
  readonly winner: StateName;
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  /** lineage_price_move_bps_abs. */
  readonly priceMoveBpsAbs: number;
  readonly absorptionBoundBps: number | null;
}

const ABSORPTIONS: readonly (string | undefined)[] = ['bid_depth_absorption_against_sell_flow', 'ask_depth_absorption_against_buy_flow'];

/**
 * Largest price move over six windows still counted as absorbed: max(2, 2 × spread_bps) basis points, 6 decimals;
 * doubled if the previous packet was an absorption of either side. Source: ours.
 */
export function absorptionBound(spreadBps: number, previousClass: string | undefined, { event_class: bounds }: PolicyNumbers): number {
  const bound = Math.max(bounds.absorption_move_bps, round6(bounds.absorption_move_spreads * spreadBps));
  return ABSORPTIONS.includes(previousClass) ? round6(bounds.absorption_hold_factor * bound) : bound;
}

/**
 * Event class, profile and direction: the first matching row of the table. Reads which of P, F and C are held, their
 * sides, and the price move over six windows against the absorption bound. Source: ours; absorption is the traders'
 * term for resting depth that takes opposite trades without the price giving way.
 */
export function classifyEvent(input: EventInput): EventRead {
  const { pressure, flow, crowding } = input.composites;
  const both = pressure.held && flow.held;
  const quiet = input.absorptionBoundBps !== null && input.priceMoveBpsAbs <= input.absorptionBoundBps;
  const bid = pressure.side > 0;
  const buy = flow.side > 0;
  if (SOURCE_STATES.includes(input.winner)) {
    return { eventClass: 'retained_context_only', eventProfile: 'retained_context', direction: 'no_current_read' };
  }
  if (both && pressure.side === flow.side) {
    return {
      eventClass: bid ? 'bid_pressure_confirmed_by_buy_flow' : 'ask_pressure_confirmed_by_sell_flow',
      eventProfile: 'flow_confirmed_pressure',
      direction: 'book_pressure_and_trade_flow_confirmed',
    };
  }
  if (both && pressure.side !== flow.side && quiet) {
    return {
      eventClass: bid ? 'bid_depth_absorption_against_sell_flow' : 'ask_depth_absorption_against_buy_flow',
      eventProfile: 'contra_flow_absorption',
      direction: bid ? 'sell_flow_absorbed_by_bid_liquidity' : 'buy_flow_absorbed_by_ask_liquidity',
    };
  }
  if (flow.held) {
    return {
      eventClass: 'trade_flow_leading_visible_book',
      eventProfile: 'trade_flow_lead',
      direction: buy ? 'aggressive_buy_flow' : 'aggressive_sell_flow',
    };
  }
  if (pressure.held) {
    return {
      eventClass: 'visible_depth_pressure_without_trade_confirmation',
      eventProfile: 'depth_only_pressure',
      direction: bid ? 'bid_heavy_depth' : 'ask_heavy_depth',
    };
  }
  if (crowding.held) {
    return { eventClass: 'funding_oi_crowding_context', eventProfile: 'crowding_context', direction: 'open_interest_context_attached' };
  }
  return { eventClass: 'balanced_two_sided_context', eventProfile: 'routine_context', direction: 'no_dominant_side' };
}

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
