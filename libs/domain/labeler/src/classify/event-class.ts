import { round6 } from '../numbers/round';
import type { PolicyNumbers } from '../policy/numbers';
import type { CompositeName, CompositeRead, StateName } from '../read';

/** What the packet says is happening, seen as an event. */
export interface EventRead {
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly direction: string;
}

/** What the event class reads. */
export interface EventInput {
  readonly winner: StateName;
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  /** lineage_price_move_bps_abs. */
  readonly priceMoveBpsAbs: number;
  readonly spreadBps: number;
}

/**
 * The event class, profile and direction: the first row of the table that holds. Reads P, F and C against their thresholds, their sides,
 * and the price move over six windows against max(2, 2 × spread_bps) basis points. Source: ours; absorption is the traders' word for
 * resting depth that takes opposite trades without the price giving way.
 */
export function classifyEvent(input: EventInput, numbers: PolicyNumbers): EventRead {
  const { pressure, flow, crowding } = input.composites;
  const leaning = pressure.score >= pressure.watch;
  const sameSide = pressure.side === flow.side;
  const opposite = pressure.side * flow.side === -1;
  const bid = pressure.side > 0;
  const buy = flow.side > 0;
  if (input.winner === 'insufficient_evidence' || input.winner === 'replay_context_ready') {
    return { eventClass: 'retained_context_only', eventProfile: 'retained_context', direction: 'no_current_read' };
  }
  if (leaning && flow.score >= flow.elevated && sameSide) {
    return {
      eventClass: bid ? 'bid_pressure_confirmed_by_buy_flow' : 'ask_pressure_confirmed_by_sell_flow',
      eventProfile: 'flow_confirmed_pressure',
      direction: 'book_pressure_and_trade_flow_confirmed',
    };
  }
  if (leaning && flow.score >= flow.watch && opposite && input.priceMoveBpsAbs <= absorptionBound(input.spreadBps, numbers)) {
    return {
      eventClass: bid ? 'bid_depth_absorption_against_sell_flow' : 'ask_depth_absorption_against_buy_flow',
      eventProfile: 'contra_flow_absorption',
      direction: bid ? 'sell_flow_absorbed_by_bid_liquidity' : 'buy_flow_absorbed_by_ask_liquidity',
    };
  }
  if (flow.score >= flow.elevated) {
    return {
      eventClass: 'trade_flow_leading_visible_book',
      eventProfile: 'trade_flow_lead',
      direction: buy ? 'aggressive_buy_flow' : 'aggressive_sell_flow',
    };
  }
  if (leaning) {
    return {
      eventClass: 'visible_depth_pressure_without_trade_confirmation',
      eventProfile: 'depth_only_pressure',
      direction: bid ? 'bid_heavy_depth' : 'ask_heavy_depth',
    };
  }
  if (crowding.score >= crowding.watch) {
    return { eventClass: 'funding_oi_crowding_context', eventProfile: 'crowding_context', direction: 'open_interest_context_attached' };
  }
  return { eventClass: 'balanced_two_sided_context', eventProfile: 'routine_context', direction: 'no_dominant_side' };
}

/** The price has not moved: at most max(2, 2 × spread_bps) bps over six windows. */
function absorptionBound(spreadBps: number, { event_class: bounds }: PolicyNumbers): number {
  return Math.max(bounds.absorption_move_bps, round6(bounds.absorption_move_spreads * spreadBps));
}
