import { round6 } from '../numbers/round';
import {
  type Candidate,
  type MarketRead,
  STATES,
  type CompositeRead,
  type Side,
  type StateName,
  type Term,
  SOURCE_STATES,
  type PublicationRule,
  type SessionState,
} from '../read';
import type { CompositeName } from '../names';
import { term } from '../composites/composites';
import { mapComposites } from '../composites/thresholds';
import { meanOf } from '../numbers/samples';
import type { PolicyNumbers } from '../policy/numbers';
import { stateTotals, type StateTotals } from '../label/lane-reads';

interface PacketInput {
  readonly composites: Readonly<Record<CompositeName, Pick<CompositeRead, 'norm' | 'heldPackets'>>>;
  readonly pressureSide: Side;
  readonly flowSide: Side;
  /** Signed imb_5 of the book at T. */
  readonly imbalance5: number;
  /** Price ranges of some minutes over the symbol's usual range (see `activityOf`). */
  readonly activity: number;
  readonly sourceSupportRatio: number;
  readonly bookSeen: boolean;
  readonly bookStale: boolean;
}

export interface CandidateInput extends PacketInput {
  readonly crowding: number;
  readonly crowdingWatch: number;
  readonly earlierCrowding: readonly number[];
}

export interface ScoreInput extends PacketInput {
  readonly crowding: CrowdingHistory;
}

interface CrowdingHistory {
  readonly mean: number;
  readonly change: number;
  /** Share of those packets with C at or above watch; null with fewer than 60. */
  readonly share: number | null;
}

interface Evidence {
  readonly norm: number;
  /** Held for enough packets, 2, for a state to open. */
  readonly lasts: boolean;
}

interface Market extends Omit<ScoreInput, 'composites'> {
  readonly composites: Readonly<Record<CompositeName, Evidence>>;
}

type Scored = Omit<Candidate, 'state'>;
type Candidates = PolicyNumbers['candidates'];

/**
 * Ten candidate states in table order with scores (0 to 1, 6 decimals) and terms. Seven are open or not: an open state
 * scores at least 0.36, a closed one at most 0.34, and the floor of 0.35 lies between, so it wins exactly if nothing is
 * open. Reads this packet's norms, for how long composites are held, and C of up to 60 earlier packets. Source: ours,
 * all ten.
 */
export function scoreCandidates(input: CandidateInput, numbers: PolicyNumbers): readonly Candidate[] {
  return scoreStates({ ...input, crowding: crowdingHistory(input, numbers) }, numbers);
}

export function scoreStates(input: ScoreInput, numbers: PolicyNumbers): readonly Candidate[] {
  const { candidates } = numbers;
  const composites = mapComposites((name): Evidence => {
    const { norm, heldPackets } = input.composites[name];
    return { norm, lasts: heldPackets >= numbers.dwell.held_packets };
  });
  const market: Market = { ...input, composites };
  const scored: Readonly<Record<StateName, Scored>> = {
    insufficient_evidence: insufficientEvidence(input, candidates),
    replay_context_ready: { score: input.bookStale ? 1 : 0, terms: [term('book_stale', input.bookStale ? 1 : 0)], open: null },
    pressure_building: pressureBuilding(market, numbers),
    flow_shift_watch: flowShiftWatch(market, candidates),
    fragile_depth_watch: ofOneComposite('fragility', candidates.fragility_weight, market, candidates),
    depth_watch: depthWatch(market, numbers),
    crowding_shift: crowdingShift(market, candidates),
    crowding_persistent: crowdingPersistent(market, candidates),
    regime_transition_candidate: ofOneComposite('regime', candidates.regime_weight, market, candidates),
    market_state_watch: { score: candidates.floor_score, terms: [term('floor', candidates.floor_score)], open: null },
  };
  return STATES.map((state) => ({ state, ...scored[state] }));
}

function gated(open: boolean, formula: number, terms: readonly Term[], candidates: Candidates): Scored {
  const score = round6(formula);
  return {
    score: open ? Math.max(score, candidates.open_score) : Math.min(score, candidates.closed_score),
    terms: [...terms, term('open', open ? 1 : 0)],
    open,
  };
}

/** Weight × norm, open while the composite lasts. */
function ofOneComposite(name: 'fragility' | 'regime', weight: number, { composites }: Market, candidates: Candidates): Scored {
  const { norm, lasts } = composites[name];
  return gated(lasts, weight * norm, [term(`${name}_norm`, norm)], candidates);
}

/** 1 without any book, or if source_support_ratio is below 0.4; else 0. */
function insufficientEvidence(input: PacketInput, candidates: Candidates): Scored {
  const insufficient = !input.bookSeen || input.sourceSupportRatio < candidates.support_minimum;
  return {
    score: insufficient ? 1 : 0,
    terms: [term('book_seen', input.bookSeen ? 1 : 0), term('source_support_ratio', input.sourceSupportRatio)],
    open: null,
  };
}

/**
 * 0.45 P̂ + 0.3 F̂ if flow is on the same side, open while pressure lasts and either flow lasts on that side or the market
 * is active: an activity above 1.1.
 */
function pressureBuilding(input: Market, { candidates, activity }: PolicyNumbers): Scored {
  const { pressure, flow } = input.composites;
  const agree = input.pressureSide === input.flowSide ? 1 : 0;
  const confirmed = flow.lasts && agree === 1;
  return gated(
    pressure.lasts && (confirmed || input.activity > activity.active_from),
    candidates.pressure_weight * pressure.norm + candidates.flow_weight * flow.norm * agree,
    [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm), term('sides_agree', agree), term('activity', input.activity)],
    candidates,
  );
}

/** 0.75 F̂ × (1 − 0.5 P̂), open while flow lasts. */
function flowShiftWatch({ composites: { pressure, flow } }: Market, candidates: Candidates): Scored {
  const formula = candidates.flow_shift_weight * flow.norm * (1 - candidates.flow_shift_pressure_discount * pressure.norm);
  return gated(flow.lasts, formula, [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm)], candidates);
}

/**
 * 0.75 P̂ × (1 − F̂), open while pressure lasts in a market that is not active and the newest book leans to its side, by an
 * imb_5 of at least 0.3.
 */
function depthWatch(input: Market, { candidates, activity }: PolicyNumbers): Scored {
  const { pressure, flow } = input.composites;
  const lean = round6(input.imbalance5 * input.pressureSide);
  return gated(
    pressure.lasts && input.activity <= activity.active_from && lean >= candidates.depth_lean_from,
    candidates.depth_weight * pressure.norm * (1 - flow.norm),
    [term('pressure_norm', pressure.norm), term('flow_norm', flow.norm), term('activity', input.activity), term('newest_lean', lean)],
    candidates,
  );
}

/** Ĉ × min(1, |C − mean C of the last 60 packets| / 0.10), open while crowding lasts and that change is at least 0.5. */
function crowdingShift({ composites, crowding: { mean, change } }: Market, candidates: Candidates): Scored {
  const { norm, lasts } = composites.crowding;
  return gated(
    lasts && change >= candidates.crowding_shift_open_from,
    norm * change,
    [term('crowding_norm', norm), term('crowding_mean', mean), term('crowding_change', change)],
    candidates,
  );
}

/** Ĉ × share of the last 60 packets with C at or above crowding_watch, open while crowding lasts and the share is at least 0.5. */
function crowdingPersistent({ composites, crowding: { share } }: Market, candidates: Candidates): Scored {
  const { norm, lasts } = composites.crowding;
  return gated(
    lasts && share !== null && share >= candidates.crowding_persistent_open_from,
    norm * (share ?? 0),
    [term('crowding_norm', norm), term('crowded_share', share)],
    candidates,
  );
}

function crowdingHistory({ crowding, crowdingWatch, earlierCrowding }: CandidateInput, numbers: PolicyNumbers): CrowdingHistory {
  const mean = meanOf(earlierCrowding, crowding);
  const enough = earlierCrowding.length >= numbers.minimums.crowding_share_packets;
  const atWatch = earlierCrowding.filter((value) => value >= crowdingWatch).length;
  return {
    mean,
    change: crowdingChange(crowding, mean, numbers),
    share: enough ? round6(atWatch / earlierCrowding.length) : null,
  };
}

export function crowdingChange(crowding: number, mean: number, { candidates }: PolicyNumbers): number {
  return round6(Math.min(1, Math.abs(crowding - mean) / candidates.crowding_full_change));
}

/**
 * Raw decision: the highest score wins, ties go to the higher row; margin = winner − runner-up, 0 to 1, 6 decimals.
 * Source: ours.
 */
export function decide(candidates: readonly Candidate[]): MarketRead['decision'] {
  const [winner, runnerUp] = ranked(candidates);
  if (winner === undefined || runnerUp === undefined) throw new Error('a decision needs two candidates');
  return {
    winner: winner.state,
    winnerScore: winner.score,
    runnerUp: runnerUp.state,
    runnerUpScore: runnerUp.score,
    margin: round6(winner.score - runnerUp.score),
    candidates,
  };
}

function ranked(candidates: readonly Candidate[]): readonly Candidate[] {
  return [...candidates].sort((a, b) => b.score - a.score);
}

export interface Dwell {
  readonly state: StateName;
  readonly sinceMs: number;
  readonly agePackets: number;
  readonly winner: StateName;
  readonly winnerStreak: number;
  readonly lostStreak: number;
}

/**
 * Published state, given this packet's raw winner. It changes immediately into and out of the first two states, and
 * when it is no longer open. The floor changes after losing `dwell.packets` in a row, any other state after one winner has
 * beaten it as often in a row. Age counts packets from 1, persistence seconds from 0, both including this packet.
 * Source: ours, a debounce that drops states without evidence.
 */
export function publish(
  previous: Dwell | null,
  { winner, candidates }: Pick<MarketRead['decision'], 'winner' | 'candidates'>,
  windowEndMs: number,
  numbers: PolicyNumbers,
): { readonly dwell: Dwell; readonly published: MarketRead['published'] } {
  const winnerStreak = previous !== null && previous.winner === winner ? previous.winnerStreak + 1 : 1;
  const lost = previous === null || previous.state === winner ? 0 : previous.lostStreak + 1;
  const open = candidates.find((candidate) => candidate.state === previous?.state)?.open ?? null;
  const rule = publicationRule(previous, winner, { winnerStreak, lost, open }, numbers);
  const changed = rule === 'changed_to_winner' || rule === 'changed_on_release';
  const dwell: Dwell =
    previous === null || changed
      ? { state: winner, sinceMs: windowEndMs, agePackets: 1, winner, winnerStreak, lostStreak: 0 }
      : { ...previous, agePackets: previous.agePackets + 1, winner, winnerStreak, lostStreak: lost };
  return {
    dwell,
    published: {
      state: dwell.state,
      rule,
      changed,
      agePackets: dwell.agePackets,
      persistenceSeconds: (windowEndMs - dwell.sinceMs) / 1000,
      winnerStreak,
      lostStreak: dwell.lostStreak,
    },
  };
}

interface Contest {
  readonly winnerStreak: number;
  readonly lost: number;
  readonly open: boolean | null;
}

function publicationRule(
  previous: Dwell | null,
  winner: StateName,
  { winnerStreak, lost, open }: Contest,
  { dwell }: PolicyNumbers,
): PublicationRule {
  if (previous === null) return 'first_packet';
  if (previous.state === winner) return 'winner_is_published';
  if (SOURCE_STATES.includes(winner) || SOURCE_STATES.includes(previous.state)) return 'changed_to_winner';
  if (open === false) return 'changed_on_release';
  const beaten = previous.state === 'market_state_watch' ? lost : winnerStreak;
  return beaten >= dwell.packets ? 'changed_to_winner' : 'held_by_dwell';
}

export interface SessionStateMemory {
  readonly state: StateName;
  readonly agePackets: number;
}

/**
 * Session state: the most frequent published state of the last 90 packets, including this one (ties: the higher row);
 * null with fewer than 30. Once set, it is replaced only by the most frequent state with a lead of 9 packets. Shares 0
 * to 1, 6 decimals. Counts packets across cuts. Source: ours, a plurality with a margin.
 */
export function sessionState(
  before: SessionStateMemory | null,
  published: readonly { readonly state: StateName }[],
  { session_state: numbers }: PolicyNumbers,
): SessionState | null {
  if (published.length < numbers.minimum_packets) return null;
  const totals = stateTotals(published);
  const leader = mostFrequent(STATES, totals);
  const stays = before !== null && totals[leader] - totals[before.state] < numbers.lead_packets;
  const state = stays ? before.state : leader;
  const runnerUp = mostFrequent(
    STATES.filter((other) => other !== state),
    totals,
  );
  const share = (of: StateName) => round6(totals[of] / published.length);
  const rivalled = totals[runnerUp] > 0;
  return {
    state,
    share: share(state),
    packetTotal: published.length,
    agePackets: before !== null && before.state === state ? before.agePackets + 1 : 1,
    runnerUp: rivalled ? runnerUp : null,
    runnerUpShare: rivalled ? share(runnerUp) : null,
  };
}

function mostFrequent(states: readonly StateName[], totals: StateTotals): StateName {
  return states.reduce((best, state) => (totals[state] > totals[best] ? state : best));
}
