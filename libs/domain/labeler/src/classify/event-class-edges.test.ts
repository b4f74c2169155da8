import { POLICY_NUMBERS } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type CompositeRead, type Side } from '../read';
import { classifyEvent } from './event-class';

interface Market {
  /** Signed p, f and C. */
  readonly p?: number;
  readonly f?: number;
  readonly c?: number;
  readonly moveBps?: number;
  readonly spreadBps?: number;
}

/** Profile and class against the policy's thresholds: P and F 0.35 / 0.60, C 0.40. */
function classOf({ p = 0, f = 0, c = 0, moveBps = 0, spreadBps = 0.1 }: Market): readonly string[] {
  const scores: Partial<Record<CompositeName, number>> = { pressure: p, flow: f, crowding: c };
  const composites = Object.fromEntries(
    COMPOSITES.map((name): [CompositeName, CompositeRead] => {
      const value = scores[name] ?? 0;
      return [
        name,
        { ...POLICY_NUMBERS.thresholds[name], score: Math.abs(value), norm: 0, side: Math.sign(value) as Side, available: true, terms: [] },
      ];
    }),
  ) as Record<CompositeName, CompositeRead>;
  const read = classifyEvent({ winner: 'depth_watch', composites, priceMoveBpsAbs: moveBps, spreadBps }, POLICY_NUMBERS);
  return [read.eventProfile, read.eventClass, read.direction];
}

const CONFIRMED = ['flow_confirmed_pressure', 'bid_pressure_confirmed_by_buy_flow', 'book_pressure_and_trade_flow_confirmed'];
const ABSORBED = ['contra_flow_absorption', 'bid_depth_absorption_against_sell_flow', 'sell_flow_absorbed_by_bid_liquidity'];
const SELL_LEADS = ['trade_flow_lead', 'trade_flow_leading_visible_book', 'aggressive_sell_flow'];
const BUY_LEADS = ['trade_flow_lead', 'trade_flow_leading_visible_book', 'aggressive_buy_flow'];
const BID_DEPTH = ['depth_only_pressure', 'visible_depth_pressure_without_trade_confirmation', 'bid_heavy_depth'];
const CROWDED = ['crowding_context', 'funding_oi_crowding_context', 'open_interest_context_attached'];
const BALANCED = ['routine_context', 'balanced_two_sided_context', 'no_dominant_side'];

describe('each row at its edge, and the near miss beside it', () => {
  test.each<[string, Market, readonly string[]]>([
    ['confirmed: P at watch, F at elevated, same side', { p: 0.35, f: 0.6 }, CONFIRMED],
    ['P just under watch', { p: 0.349999, f: 0.6 }, BUY_LEADS],
    ['F just under elevated', { p: 0.35, f: 0.599999 }, BID_DEPTH],
    ['confirmed whatever price did', { p: 0.35, f: 0.6, moveBps: 500 }, CONFIRMED],
    ['absorbed: both at watch, opposite, price within 2 bps', { p: 0.35, f: -0.35, moveBps: 2 }, ABSORBED],
    ['absorbed beats a flow that leads: F at elevated, opposite, still price', { p: 0.35, f: -0.6, moveBps: 2 }, ABSORBED],
    ['price just past 2 bps, F at watch', { p: 0.35, f: -0.35, moveBps: 2.000001 }, BID_DEPTH],
    ['price just past 2 bps, F at elevated', { p: 0.35, f: -0.6, moveBps: 2.000001 }, SELL_LEADS],
    ['F just under watch', { p: 0.35, f: -0.349999 }, BID_DEPTH],
    ['P just under watch, F at watch', { p: 0.349999, f: -0.35 }, BALANCED],
    ['same side at watch only is not absorbed', { p: 0.35, f: 0.35 }, BID_DEPTH],
    // max(2, 2 × 1) = 2; max(2, 2 × 1.5) = 3
    ['a spread of 1 bps leaves the bound at 2', { p: 0.35, f: -0.35, moveBps: 2.5, spreadBps: 1 }, BID_DEPTH],
    ['a spread of 1.5 bps makes it 3', { p: 0.35, f: -0.35, moveBps: 3, spreadBps: 1.5 }, ABSORBED],
    ['3 bps are the end of it', { p: 0.35, f: -0.35, moveBps: 3.000001, spreadBps: 1.5 }, BID_DEPTH],
    ['leading: F at elevated alone', { f: 0.6 }, BUY_LEADS],
    ['F just under elevated, alone', { f: 0.599999 }, BALANCED],
    ['leading beats crowding', { f: -0.6, c: 0.9 }, SELL_LEADS],
    ['depth: P at watch alone', { p: 0.35 }, BID_DEPTH],
    ['P just under watch, alone', { p: 0.349999 }, BALANCED],
    ['depth beats crowding', { p: 0.35, c: 0.9 }, BID_DEPTH],
    ['crowded: C at watch', { c: 0.4 }, CROWDED],
    ['C just under watch', { c: 0.399999 }, BALANCED],
    ['crowded although F is over watch', { f: 0.5, c: 0.4 }, CROWDED],
    ['nothing', {}, BALANCED],
  ])('%s', (_name, market, expected) => {
    expect(classOf(market)).toEqual(expected);
  });

  test.each<[Market, readonly string[]]>([
    [{ p: -0.35, f: -0.6 }, ['flow_confirmed_pressure', 'ask_pressure_confirmed_by_sell_flow', 'book_pressure_and_trade_flow_confirmed']],
    [{ p: -0.35, f: 0.35 }, ['contra_flow_absorption', 'ask_depth_absorption_against_buy_flow', 'buy_flow_absorbed_by_ask_liquidity']],
    [{ p: -0.35 }, ['depth_only_pressure', 'visible_depth_pressure_without_trade_confirmation', 'ask_heavy_depth']],
  ])('the mirrored market %j has the mirrored class', (market, expected) => {
    expect(classOf(market)).toEqual(expected);
  });
});
