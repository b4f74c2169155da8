import { HALF_HOUR_MS, HalfHours, type Estimate, type Steps } from './bootstrap';
import type { Column, PacketTable } from './packet-table';
import { indexesWhere, pick, quantile, ranksOfKnown } from './ranks';
import { PACKETS_MIN } from './severity-validity';

/** States that claim something, in the order of the packets' taxonomy. */
export const JUDGED_STATES = [
  'pressure_building',
  'flow_shift_watch',
  'fragile_depth_watch',
  'depth_watch',
  'crowding_shift',
  'crowding_persistent',
  'regime_transition_candidate',
  'market_state_watch',
] as const;
type JudgedState = (typeof JUDGED_STATES)[number];

/** A state that occurs in fewer half hours has too narrow an interval for a verdict. */
const HALF_HOURS_MIN = 10;
const TENTHS = 10;
const RANK_POINTS = 100;

type Reader = (table: PacketTable) => Float64Array;

export interface Claim {
  readonly outcome: string;
  readonly claims: 'higher' | 'lower';
  /** The claimed quantity over the next minute, over the last one, and over the last five. */
  readonly next: Reader;
  readonly last: Reader;
  readonly longer: Reader;
}

const read =
  (name: Column): Reader =>
  (table) =>
    table.column(name);

/** A quantity times the packet's side: positive if it goes on as it was. Unknown for a packet without a side. */
const onSide =
  (name: Column, side: Column, own: Column): Reader =>
  (table) => {
    const [quantities, sides, owns] = [table.column(name), table.column(side), table.column(own)];
    return quantities.map((quantity, row) => {
      const sign = Math.sign(sides[row] ?? 0) || Math.sign(owns[row] ?? 0);
      return sign === 0 ? Number.NaN : sign * quantity;
    });
  };

const over =
  (name: Column, by: Column): Reader =>
  (table) => {
    const divisors = table.column(by);
    return table.column(name).map((value, row) => value / (divisors[row] ?? Number.NaN));
  };

const absolute =
  (name: Column): Reader =>
  (table) =>
    table.column(name).map(Math.abs);

const meanOfRanks =
  (...readers: readonly Reader[]): Reader =>
  (table) => {
    const ranks = readers.map((reader) => ranksOfKnown(reader(table)));
    return Float64Array.from(
      { length: table.length },
      (_, row) => ranks.reduce((sum, each) => sum + (each[row] ?? Number.NaN), 0) / ranks.length,
    );
  };

const BOOK_SIDE: Claim = {
  outcome: 'book_keeps_its_side',
  claims: 'higher',
  next: onSide('imbalanceNext60', 'bookSide', 'imbalance180'),
  last: onSide('imbalance60', 'bookSide', 'imbalance180'),
  longer: onSide('imbalance300', 'bookSide', 'imbalance180'),
};

export const CLAIMS: Readonly<Record<JudgedState, readonly Claim[]>> = {
  pressure_building: [
    BOOK_SIDE,
    {
      outcome: 'absolute_price_move',
      claims: 'higher',
      next: read('moveNext60'),
      last: read('volatility60'),
      longer: read('volatility300'),
    },
  ],
  flow_shift_watch: [
    {
      outcome: 'flow_keeps_its_side',
      claims: 'higher',
      next: onSide('netTradedNext60', 'flowSide', 'netTraded180'),
      last: onSide('netTraded60', 'flowSide', 'netTraded180'),
      longer: onSide('netTraded300', 'flowSide', 'netTraded180'),
    },
  ],
  fragile_depth_watch: [
    { outcome: 'least_depth', claims: 'lower', next: read('notionalNext60'), last: read('notional60'), longer: read('notional300') },
    { outcome: 'widest_spread', claims: 'higher', next: read('spreadNext60'), last: read('spread60'), longer: read('spread300') },
  ],
  depth_watch: [
    BOOK_SIDE,
    {
      outcome: 'one_sided_flow',
      claims: 'lower',
      next: absolute('netTradedNext60'),
      last: absolute('netTraded60'),
      longer: absolute('netTraded300'),
    },
  ],
  crowding_shift: [],
  crowding_persistent: [],
  regime_transition_candidate: [
    {
      outcome: 'volatility_of_900s_over_3600s',
      claims: 'higher',
      next: over('volatilityNext900', 'volatility3600'),
      last: over('volatility900', 'volatility3600'),
      longer: over('volatility300', 'volatility3600'),
    },
  ],
  market_state_watch: [
    {
      outcome: 'volatility_spread_and_one_sided_flow',
      claims: 'lower',
      next: meanOfRanks(read('volatilityNext60'), read('spreadNext60'), absolute('netTradedNext60')),
      last: meanOfRanks(read('volatility60'), read('spread60'), absolute('netTraded60')),
      longer: meanOfRanks(read('volatility300'), read('spread300'), absolute('netTraded300')),
    },
  ],
};

/**
 * `shown`: both intervals are clear of zero on the side that the state claims; `contrary`: both on the other side. The
 * others are reasons for no verdict; only `fewer_than_10_half_hours` comes with a lift.
 */
export type StateVerdict =
  | 'shown'
  | 'contrary'
  | 'not_shown'
  | 'fewer_than_10_half_hours'
  | 'fewer_than_30_packets'
  | 'single_half_hour'
  | 'outcome_does_not_vary'
  | 'no_funding_or_open_interest'
  | 'outcome_takes_hours';

/**
 * Lift of a state on the outcome that it claims: mean rank of its packets' outcomes less that of the other packets, in
 * points of 100, compared within tenths of a baseline and weighted by the state's packets.
 */
export interface StateLift {
  readonly state: string;
  /** Null if the outcome is not measured. */
  readonly outcome: string | null;
  /** Sign that the state claims: positive lift for `higher`. */
  readonly claims: 'higher' | 'lower' | null;
  /** The state's packets whose outcome and baselines are known. */
  readonly packets: number;
  /** Matched on the same quantity over the last 60 s. */
  readonly givenLast: Estimate | null;
  /** Matched on the sum of its ranks over the last 60 s and 300 s. */
  readonly givenBlend: Estimate | null;
  readonly verdict: StateVerdict;
}

/**
 * Lift of each state that occurs, on each of its outcomes, or only on those of `outcomes`. `hasContext`: the log has
 * funding or open interest.
 */
export function* stateLifts(table: PacketTable, hasContext: boolean, outcomes?: ReadonlySet<string>, draws?: number): Steps<StateLift[]> {
  const states = table.column('state');
  const lifts: StateLift[] = [];
  for (const [code, state] of JUDGED_STATES.entries()) {
    const packets = states.filter((each) => each === code).length;
    if (packets === 0) continue;
    const claims = CLAIMS[state];
    for (const claim of claims.filter(({ outcome }) => outcomes?.has(outcome) ?? true)) {
      yield;
      lifts.push({ state, ...liftOn(table, claim, (row) => states[row] === code, draws) });
    }
    const verdict = hasContext ? 'outcome_takes_hours' : 'no_funding_or_open_interest';
    if (claims.length === 0 && outcomes === undefined)
      lifts.push({ state, outcome: null, claims: null, packets, givenLast: null, givenBlend: null, verdict });
  }
  return lifts;
}

/** Lift of the packets of a state, or of any other set, on one outcome. */
export function liftOn(table: PacketTable, claim: Claim, isMember: (row: number) => boolean, draws?: number): Omit<StateLift, 'state'> {
  const [next, last, longer] = [claim.next(table), claim.last(table), claim.longer(table)];
  const rows = indexesWhere(table.length, (row) => [next, last, longer].every((values) => !Number.isNaN(values[row])));
  const [outcomes, lasts, longers] = [pick(next, rows), pick(last, rows), pick(longer, rows)];
  const isState = Float64Array.from(rows, (row) => (isMember(row) ? 1 : 0));
  const windowEnds = pick(table.column('windowEndMs'), rows);
  const packets = isState.reduce((sum, each) => sum + each, 0);
  const own = new Set(windowEnds.filter((_, row) => isState[row] === 1).map((ms) => Math.floor(ms / HALF_HOUR_MS)));
  const result = { outcome: claim.outcome, claims: claim.claims, packets, givenLast: null, givenBlend: null };
  if (packets < PACKETS_MIN) return { ...result, verdict: 'fewer_than_30_packets' };
  if (own.size < 2) return { ...result, verdict: 'single_half_hour' };
  if (outcomes.every((value) => value === outcomes[0])) return { ...result, verdict: 'outcome_does_not_vary' };
  const halfHours = new HalfHours(windowEnds, draws);
  const longerRanks = ranksOfKnown(longers);
  const blend = ranksOfKnown(lasts).map((rank, row) => rank + (longerRanks[row] ?? 0));
  const givenLast = matchedLift(outcomes, isState, lasts, halfHours);
  const givenBlend = matchedLift(outcomes, isState, blend, halfHours);
  const verdict = own.size < HALF_HOURS_MIN ? 'fewer_than_10_half_hours' : verdictOf([givenLast, givenBlend], claim.claims);
  return { ...result, givenLast, givenBlend, verdict };
}

function verdictOf(lifts: readonly (Estimate | null)[], claims: 'higher' | 'lower'): StateVerdict {
  const isClear = (side: 'higher' | 'lower') => lifts.every((lift) => (side === 'higher' ? (lift?.low ?? 0) > 0 : (lift?.high ?? 0) < 0));
  if (isClear(claims)) return 'shown';
  return isClear(claims === 'higher' ? 'lower' : 'higher') ? 'contrary' : 'not_shown';
}

/**
 * Ranks and tenths are those of all packets given. A resample changes only how often each half hour counts. Null if no
 * tenth has packets of both kinds.
 */
export function matchedLift(outcomes: Float64Array, isState: Float64Array, baseline: Float64Array, halfHours: HalfHours): Estimate | null {
  const ranks = ranksOfKnown(outcomes).map((rank) => (RANK_POINTS * rank) / outcomes.length);
  const edges = Array.from({ length: TENTHS - 1 }, (_, tenth) => quantile(baseline, (tenth + 1) / TENTHS));
  // Per half hour and tenth: [others' sum, others' packets, the state's sum, the state's packets].
  const cells = new Float64Array(halfHours.total * TENTHS * 4);
  for (let row = 0; row < ranks.length; row++) {
    const tenth = edges.filter((edge) => edge < (baseline[row] ?? 0)).length;
    const cell = ((halfHours.of[row] ?? 0) * TENTHS + tenth) * 4 + 2 * (isState[row] ?? 0);
    cells[cell] = (cells[cell] ?? 0) + (ranks[row] ?? 0);
    cells[cell + 1] = (cells[cell + 1] ?? 0) + 1;
  }
  return halfHours.estimates((counts) => ({ lift: liftOfCells(cells, counts) })).lift;
}

function liftOfCells(cells: Float64Array, counts: Uint16Array): number | null {
  let [lift, weight] = [0, 0];
  for (let tenth = 0; tenth < TENTHS; tenth++) {
    const sums = [0, 0, 0, 0];
    for (let halfHour = 0; halfHour < counts.length; halfHour++) {
      const [count, cell] = [counts[halfHour] ?? 0, (halfHour * TENTHS + tenth) * 4];
      for (let at = 0; at < 4; at++) sums[at] = (sums[at] ?? 0) + count * (cells[cell + at] ?? 0);
    }
    const [othersSum = 0, others = 0, sum = 0, packets = 0] = sums;
    if (others === 0 || packets === 0) continue;
    lift += (sum / packets - othersSum / others) * packets;
    weight += packets;
  }
  return weight === 0 ? null : lift / weight;
}
