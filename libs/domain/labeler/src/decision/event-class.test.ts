import { compositeReads } from '../../tests/composite-reads';
import { POLICY_NUMBERS } from '../policy/numbers';
import { absorptionBound, classifyEvent, diagnosisClass, transitionType } from './event-class';
import { FROZEN_NUMBERS } from '../../tests/policy-texts';

interface Market {
  /** Signed p, f and C; each is held at watch unless `lingers` names it, which holds it under watch. */
  readonly p?: number;
  readonly f?: number;
  readonly c?: number;
  readonly lingers?: readonly ('pressure' | 'flow' | 'crowding')[];
  readonly moveBps?: number;
  readonly spreadBps?: number;
  readonly previousClass?: string;
}

/** Profile and class against the policy's thresholds: watch is P 0.16, F 0.25, C 0.40. */
function classOf({ p = 0, f = 0, c = 0, lingers = [], moveBps = 0, spreadBps = 0.1, previousClass }: Market): readonly string[] {
  const composites = compositeReads(
    { pressure: p, flow: f, crowding: c },
    Object.fromEntries(lingers.map((name) => [name, { held: true, heldPackets: 4 }])),
  );
  const absorptionBoundBps = absorptionBound(spreadBps, previousClass, POLICY_NUMBERS);
  const read = classifyEvent({ winner: 'depth_watch', composites, priceMoveBpsAbs: moveBps, absorptionBoundBps });
  return [read.eventProfile, read.eventClass, read.direction];
}

const CONFIRMED = ['flow_confirmed_pressure', 'bid_pressure_confirmed_by_buy_flow', 'book_pressure_and_trade_flow_confirmed'];
const ABSORBED = ['contra_flow_absorption', 'bid_depth_absorption_against_sell_flow', 'sell_flow_absorbed_by_bid_liquidity'];
const SELL_LEADS = ['trade_flow_lead', 'trade_flow_leading_visible_book', 'aggressive_sell_flow'];
const BUY_LEADS = ['trade_flow_lead', 'trade_flow_leading_visible_book', 'aggressive_buy_flow'];
const BID_DEPTH = ['depth_only_pressure', 'visible_depth_pressure_without_trade_confirmation', 'bid_heavy_depth'];
const CROWDED = ['crowding_context', 'funding_oi_crowding_context', 'open_interest_context_attached'];
const BALANCED = ['routine_context', 'balanced_two_sided_context', 'no_dominant_side'];
const BID_ABSORPTION = 'bid_depth_absorption_against_sell_flow';

describe('each row at its edge, and the near miss next to it', () => {
  test.each<[string, Market, readonly string[]]>([
    ['confirmed: both at watch, same side', { p: 0.16, f: 0.25 }, CONFIRMED],
    ['P just under watch', { p: 0.159999, f: 0.25 }, BUY_LEADS],
    ['P under watch and held still', { p: 0.08, f: 0.25, lingers: ['pressure'] }, CONFIRMED],
    ['F just under watch', { p: 0.16, f: 0.249999 }, BID_DEPTH],
    ['F under watch and held still', { p: 0.16, f: 0.125, lingers: ['flow'] }, CONFIRMED],
    ['confirmed whatever price did', { p: 0.16, f: 0.25, moveBps: 500 }, CONFIRMED],
    ['absorbed: both held, opposite, price within 2 bps', { p: 0.16, f: -0.25, moveBps: 2 }, ABSORBED],
    ['absorbed with both under watch and held still', { p: 0.1, f: -0.2, moveBps: 2, lingers: ['pressure', 'flow'] }, ABSORBED],
    ['price just past 2 bps: the flow leads', { p: 0.16, f: -0.25, moveBps: 2.000001 }, SELL_LEADS],
    ['F just under watch, opposite', { p: 0.16, f: -0.249999 }, BID_DEPTH],
    ['P just under watch, F at watch, opposite', { p: 0.159999, f: -0.25 }, SELL_LEADS],
    // max(2, 2 × 1) = 2; max(2, 2 × 1.5) = 3
    ['a spread of 1 bps leaves the bound at 2', { p: 0.16, f: -0.25, moveBps: 2.5, spreadBps: 1 }, SELL_LEADS],
    ['a spread of 1.5 bps makes it 3', { p: 0.16, f: -0.25, moveBps: 3, spreadBps: 1.5 }, ABSORBED],
    ['3 bps are the end of it', { p: 0.16, f: -0.25, moveBps: 3.000001, spreadBps: 1.5 }, SELL_LEADS],
    ['behind an absorption the bound is twice that', { p: 0.16, f: -0.25, moveBps: 4, previousClass: BID_ABSORPTION }, ABSORBED],
    [
      'behind one of the other side too',
      { p: 0.16, f: -0.25, moveBps: 6, spreadBps: 1.5, previousClass: 'ask_depth_absorption_against_buy_flow' },
      ABSORBED,
    ],
    ['twice the bound is the end of it', { p: 0.16, f: -0.25, moveBps: 4.000001, previousClass: BID_ABSORPTION }, SELL_LEADS],
    ['behind any other class it is not', { p: 0.16, f: -0.25, moveBps: 4, previousClass: 'trade_flow_leading_visible_book' }, SELL_LEADS],
    ['leading: F at watch alone', { f: 0.25 }, BUY_LEADS],
    ['F just under watch, alone', { f: 0.249999 }, BALANCED],
    ['leading beats crowding', { f: -0.25, c: 0.9 }, SELL_LEADS],
    ['depth: P at watch alone', { p: 0.16 }, BID_DEPTH],
    ['P just under watch, alone', { p: 0.159999 }, BALANCED],
    ['depth beats crowding', { p: 0.16, c: 0.9 }, BID_DEPTH],
    ['crowded: C at watch', { c: 0.4 }, CROWDED],
    ['C just under watch', { c: 0.399999 }, BALANCED],
    ['C under watch and held still', { c: 0.2, lingers: ['crowding'] }, CROWDED],
    ['nothing', {}, BALANCED],
  ])('%s', (_name, market, expected) => {
    expect(classOf(market)).toEqual(expected);
  });

  test.each<[Market, readonly string[]]>([
    [{ p: -0.16, f: -0.25 }, ['flow_confirmed_pressure', 'ask_pressure_confirmed_by_sell_flow', 'book_pressure_and_trade_flow_confirmed']],
    [{ p: -0.16, f: 0.25 }, ['contra_flow_absorption', 'ask_depth_absorption_against_buy_flow', 'buy_flow_absorbed_by_ask_liquidity']],
    [{ p: -0.16 }, ['depth_only_pressure', 'visible_depth_pressure_without_trade_confirmation', 'ask_heavy_depth']],
  ])('the mirrored market %j has the mirrored class', (market, expected) => {
    expect(classOf(market)).toEqual(expected);
  });

  test.each(['insufficient_evidence', 'replay_context_ready'] as const)('with %s nothing current is read', (winner) => {
    const composites = compositeReads({ pressure: 1, flow: 1 });
    expect(classifyEvent({ winner, composites, priceMoveBpsAbs: 0, absorptionBoundBps: 2 })).toEqual({
      eventClass: 'retained_context_only',
      eventProfile: 'retained_context',
      direction: 'no_current_read',
    });
  });
});

describe('transition type', () => {
  const same = { eventClass: 'x', eventProfile: 'y', countedTags: ['a', 'b'] };
  const base = { packetsBefore: 6, afterCut: false, stateChanged: false, ...same, previous: same };

  test.each([
    ['lineage_context_pending', { packetsBefore: 5 }],
    ['lineage_context_pending', { afterCut: true, stateChanged: true }],
    ['state_changed', { stateChanged: true, eventClass: 'z' }],
    ['same_state_new_context', { eventClass: 'z' }],
    ['same_state_new_context', { eventProfile: 'z' }],
    ['same_state_new_context', { countedTags: ['a'] }],
    ['state_reaffirmed', { countedTags: ['b', 'a'] }],
  ])('%s when %j', (expected, change) => {
    expect(transitionType({ ...base, ...change }, FROZEN_NUMBERS)).toBe(expected);
  });
});

describe('diagnosis class', () => {
  const decision = {
    winner: 'pressure_building',
    winnerScore: 0.6,
    runnerUp: 'depth_watch',
    runnerUpScore: 0.5,
    margin: 0.1,
    candidates: [],
  } as const;

  test('contested comes first, from a contradiction of 0.35', () => {
    expect(diagnosisClass(0.35, decision, compositeReads({ pressure: 0.5 }), FROZEN_NUMBERS)).toBe('contested_context_review');
  });

  test('active needs a margin of 0.10 and a threshold crossed by what the winner reads', () => {
    expect(diagnosisClass(0.34, decision, compositeReads({ pressure: 0.16 }), FROZEN_NUMBERS)).toBe('active_context_read');
    expect(diagnosisClass(0.34, decision, compositeReads({ fragility: 0.9 }), FROZEN_NUMBERS)).toBe('competing_state_read');
    expect(diagnosisClass(0.34, { ...decision, margin: 0.099999 }, compositeReads({ pressure: 0.5 }), FROZEN_NUMBERS)).toBe(
      'competing_state_read',
    );
    expect(diagnosisClass(0, { ...decision, winner: 'market_state_watch' }, compositeReads({ pressure: 0.5 }), FROZEN_NUMBERS)).toBe(
      'competing_state_read',
    );
  });
});
