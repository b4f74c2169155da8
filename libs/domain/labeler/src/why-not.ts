import { decide, crowdingChange, type ScoreInput, scoreStates, type Dwell, publish } from './decision/decide';
import type { PolicyNumbers } from './policy/numbers';
import { type MarketRead, SOURCE_STATES, type StateName, type Side, type Candidate, STATES } from './read';
import { COMPOSITES, type CompositeName } from './names';
import { type HeldMemory, holdComposite, norm, mapComposites } from './composites/thresholds';
import type { CandidateState, CompositeSide, CompositeTrace } from './packet/decision-trace';
import type { Packet } from './packet/packet';

export type DecidedPacket = Pick<Packet, 'state_decision_trace' | 'previous_lineage_digest'>;

interface Standing {
  readonly score: number;
  readonly side: Side;
  readonly norm: number;
  readonly heldPackets: number;
  readonly leaveAt: number;
  readonly watch: number;
  readonly elevated: number;
  readonly available: boolean;
}
type Standings = Readonly<Record<CompositeName, Standing>>;

interface Decided {
  readonly winner: StateName;
  readonly runnerUp: StateName;
  readonly standings: Standings;
  readonly input: ScoreInput;
  /** First packet of its chain: nothing was held before, and C has no mean but itself. */
  readonly isFirst: boolean;
}

const SIDES: Readonly<Record<CompositeSide, Side>> = { bid: 1, buy: 1, shorts: 1, ask: -1, sell: -1, longs: -1, none: 0 };

function sideOf({ side }: CompositeTrace): Side {
  return SIDES[side];
}

/** Null if the packet's scores do not follow from its trace under this policy. */
function decidedOf(packet: DecidedPacket, numbers: PolicyNumbers): Decided | null {
  const trace = packet.state_decision_trace;
  const termOf = (state: StateName, term: string): number | null =>
    trace.candidate_states.find((candidate) => candidate.state === state)?.terms[term] ?? null;
  const standings = mapComposites((name) => standingOf(trace.composites[name]));
  const input: ScoreInput = {
    composites: standings,
    pressureSide: standings.pressure.side,
    flowSide: standings.flow.side,
    imbalance5: trace.imbalances.top5 ?? 0,
    activity: termOf('pressure_building', 'activity') ?? 1,
    sourceSupportRatio: termOf('insufficient_evidence', 'source_support_ratio') ?? 0,
    bookSeen: termOf('insufficient_evidence', 'book_seen') === 1,
    bookStale: termOf('replay_context_ready', 'book_stale') === 1,
    crowding: {
      mean: termOf('crowding_shift', 'crowding_mean') ?? standings.crowding.score,
      change: termOf('crowding_shift', 'crowding_change') ?? 0,
      share: termOf('crowding_persistent', 'crowded_share'),
    },
  };
  if (!isSame(scoreStates(input, numbers), trace.candidate_states)) return null;
  const isFirst = /^0+$/.test(packet.previous_lineage_digest);
  return { winner: trace.winner_state, runnerUp: trace.runner_up_state, standings, input, isFirst };
}

function standingOf(trace: CompositeTrace): Standing {
  const { score, norm, held_packets: heldPackets, leave_at: leaveAt, watch, elevated } = trace;
  return {
    ...{ heldPackets, leaveAt, watch, elevated },
    score: score ?? 0,
    norm: norm ?? 0,
    side: sideOf(trace),
    available: score !== null,
  };
}

function isSame(made: readonly Candidate[], reported: readonly CandidateState[]): boolean {
  return STATES.every((state) => {
    const [one, other] = [made, reported].map((list: readonly (Candidate | CandidateState)[]) => list.find((each) => each.state === state));
    return one !== undefined && one.score === other?.score;
  });
}

/** Millionths: composites have six decimals. */
const UNITS = 1_000_000;

interface Variation {
  readonly decided: Decided;
  readonly composite: CompositeName;
  readonly before: HeldMemory;
  readonly numbers: PolicyNumbers;
}

/** The sign of pressure and flow is their side; the side of others does not vary. */
function isSigned(composite: CompositeName): boolean {
  return composite === 'pressure' || composite === 'flow';
}

function candidatesAt(variation: Variation, units: number): readonly Candidate[] {
  const { decided, composite, numbers } = variation;
  const side = isSigned(composite) ? (Math.sign(units) as Side) : decided.standings[composite].side;
  return scoreStates(inputOf(variation, side, readingAt(variation, side, Math.abs(units))), numbers);
}

interface Reading {
  readonly norm: number;
  readonly heldPackets: number;
  readonly change: number;
}

function readingAt({ decided, composite, before, numbers }: Variation, side: Side, size: number): Reading {
  const standing = decided.standings[composite];
  const score = size / UNITS;
  const { mean, change } = decided.input.crowding;
  return {
    norm: norm(score, standing),
    heldPackets: holdComposite({ score, side, available: true }, standing.watch, before, numbers.calibration.leave_ratio).heldPackets,
    change: composite !== 'crowding' ? change : decided.isFirst ? 0 : crowdingChange(score, mean, numbers),
  };
}

function inputOf({ decided: { input }, composite }: Variation, side: Side, { norm: read, heldPackets, change }: Reading): ScoreInput {
  return {
    ...input,
    composites: { ...input.composites, [composite]: { norm: read, heldPackets } },
    pressureSide: composite === 'pressure' ? side : input.pressureSide,
    flowSide: composite === 'flow' ? side : input.flowSide,
    crowding: { ...input.crowding, change },
  };
}

/**
 * False only if `state` cannot win for any size from `low` to `high` (millionths, inclusive) on this side; exact if
 * they are equal. Norm and held packets never fall as a size grows, and each score is a product or linear sum of its inputs,
 * rounded once, so its extremes are at the inputs' corners.
 */
function mayWin(variation: Variation, state: StateName, side: Side, low: number, high: number): boolean {
  const { decided, numbers } = variation;
  const [least, most] = [readingAt(variation, side, low), readingAt(variation, side, high)];
  const changes = changeBounds(variation, least, most, low, high);
  if (state === 'crowding_persistent' && variation.composite === 'crowding' && shiftIsAhead(decided, changes[0], numbers)) return false;
  const bounds = new Map<StateName, { low: number; high: number }>();
  for (const read of distinct(least.norm, most.norm)) {
    for (const heldPackets of distinct(least.heldPackets, most.heldPackets)) {
      for (const change of distinct(...changes)) {
        for (const { state: each, score } of scoreStates(inputOf(variation, side, { norm: read, heldPackets, change }), numbers)) {
          const seen = bounds.get(each) ?? { low: score, high: score };
          bounds.set(each, { low: Math.min(seen.low, score), high: Math.max(seen.high, score) });
        }
      }
    }
  }
  const best = bounds.get(state)?.high ?? 0;
  return STATES.every((other, row) => {
    const worst = bounds.get(other)?.low ?? 0;
    return other === state || best > worst || (best === worst && STATES.indexOf(state) < row);
  });
}

/** The change of crowding falls up to the mean and rises after it. */
function changeBounds(
  { decided, composite, numbers }: Variation,
  least: Reading,
  most: Reading,
  low: number,
  high: number,
): readonly [number, number] {
  const { mean } = decided.input.crowding;
  const holdsMean = composite === 'crowding' && !decided.isFirst && low / UNITS <= mean && mean <= high / UNITS;
  const lowest = holdsMean ? crowdingChange(mean, mean, numbers) : Math.min(least.change, most.change);
  return [lowest, Math.max(least.change, most.change)];
}

/** Both crowding states are Ĉ times a factor; the shift wins ties, as the higher row. */
function shiftIsAhead({ input }: Decided, change: number, { candidates }: PolicyNumbers): boolean {
  return input.crowding.share !== null && change >= Math.max(input.crowding.share, candidates.crowding_shift_open_from);
}

function distinct<T>(one: T, other: T): readonly T[] {
  return one === other ? [one] : [one, other];
}

export interface DecisiveChange {
  readonly composite: CompositeName;
  /** Actual and required score, 6 decimals. */
  readonly from: number;
  readonly to: number;
  readonly margin: number;
  /** State that would have been published; null if earlier packets are unknown. */
  readonly published: Pick<MarketRead['published'], 'state' | 'rule'> | null;
}

export interface WhyNot {
  readonly winner: StateName;
  readonly runnerUp: StateName;
  /** Composites that suffice on their own, smallest change first. */
  readonly changes: readonly DecisiveChange[];
  readonly absent: readonly CompositeName[];
  /** Composites that depend on whether they were held in the unknown previous packet. */
  readonly undecided: readonly CompositeName[];
  /** Composites that cannot suffice on their own anywhere in their range. */
  readonly never: readonly CompositeName[];
  /** The winner is a source state, which no market score beats. */
  readonly isSourceState: boolean;
}

interface Before {
  readonly packet: DecidedPacket | null;
  readonly contest: Dwell | null;
}

/**
 * Finds, for each composite, the smallest change that would have made the runner-up the raw winner, all else equal.
 * Arithmetic about the label by its published rules, not about the market.
 * @returns null if the packet's scores do not follow from its trace under these numbers (another edition or policy)
 */
export function whyNot(packet: DecidedPacket, before: Before, numbers: PolicyNumbers): WhyNot | null {
  const decided = decidedOf(packet, numbers);
  if (decided === null) return null;
  const { winner, runnerUp, standings } = decided;
  const isSourceState = SOURCE_STATES.includes(winner);
  const changes: DecisiveChange[] = [];
  const [absent, undecided, never]: CompositeName[][] = [[], [], []];
  for (const composite of isSourceState ? [] : COMPOSITES) {
    if (!standings[composite].available) {
      absent?.push(composite);
      continue;
    }
    const variations = memoriesOf(decided, composite, before.packet, numbers).map((memory) => ({
      decided,
      composite,
      before: memory,
      numbers,
    }));
    const found = variations.map((variation) => nearestWin(variation, runnerUp));
    const [units = null] = found;
    if (new Set(found).size > 1) undecided?.push(composite);
    else if (units === null) never?.push(composite);
    else if (variations[0] !== undefined) changes.push(changeTo(variations[0], units, before.contest));
  }
  changes.sort((one, other) => sizeOf(one) - sizeOf(other));
  return { winner, runnerUp, changes, absent: absent ?? [], undecided: undecided ?? [], never: never ?? [], isSourceState };
}

/** Values of one side, in millionths of the signed score, inclusive. */
interface Piece {
  readonly side: Side;
  readonly from: number;
  readonly to: number;
}

/**
 * Winning value nearest to the composite's own, as a signed score in millionths; the larger on a tie, null if there is
 * none in its range. Exact: spans are skipped only if the state cannot win in them.
 */
function nearestWin(variation: Variation, state: StateName): number | null {
  const { score, side } = variation.decided.standings[variation.composite];
  const own = Math.round(score * UNITS) * (isSigned(variation.composite) ? side : 1);
  const pieces = piecesOf(variation);
  const above = first(
    pieces.map((piece) => ({ ...piece, from: Math.max(piece.from, own + 1) })),
    (piece) => nearestIn(variation, state, piece, 1),
  );
  const below = first(pieces.map((piece) => ({ ...piece, to: Math.min(piece.to, own - 1) })).toReversed(), (piece) =>
    nearestIn(variation, state, piece, -1),
  );
  if (above === null || below === null) return above ?? below;
  return own - below < above - own ? below : above;
}

function piecesOf({ composite, decided }: Variation): readonly Piece[] {
  if (!isSigned(composite)) return [{ side: decided.standings[composite].side, from: 0, to: UNITS }];
  return [
    { side: -1, from: -UNITS, to: -1 },
    { side: 0, from: 0, to: 0 },
    { side: 1, from: 1, to: UNITS },
  ];
}

/** Lowest winning value of the piece going up, or the highest going down. */
function nearestIn(variation: Variation, state: StateName, { side, from, to }: Piece, direction: 1 | -1): number | null {
  if (from > to) return null;
  const [low, high] = from < 0 ? [-to, -from] : [from, to];
  if (!mayWin(variation, state, side, low, high)) return null;
  if (from === to) return from;
  const middle = Math.floor((from + to) / 2);
  const halves: readonly Piece[] = [
    { side, from, to: middle },
    { side, from: middle + 1, to },
  ];
  return first(direction === 1 ? halves : halves.toReversed(), (half) => nearestIn(variation, state, half, direction));
}

function first<T>(items: readonly T[], find: (item: T) => number | null): number | null {
  for (const item of items) {
    const found = find(item);
    if (found !== null) return found;
  }
  return null;
}

/** Change in millionths, so that equal changes do not differ by floating-point rounding. */
function sizeOf({ from, to }: DecisiveChange): number {
  return Math.abs(Math.round(to * UNITS) - Math.round(from * UNITS));
}

function changeTo(variation: Variation, units: number, contest: Dwell | null): DecisiveChange {
  const { decided, composite, numbers } = variation;
  const { score, side } = decided.standings[composite];
  const decision = decide(candidatesAt(variation, units));
  const published = contest === null && !decided.isFirst ? null : publish(contest, decision, 0, numbers).published;
  return {
    composite,
    from: isSigned(composite) && side < 0 ? -score : score,
    to: units / UNITS,
    margin: decision.margin,
    published: published && { state: published.state, rule: published.rule },
  };
}

const NOT_HELD: HeldMemory = { side: 0, packets: 0 };

function memoriesOf(
  { standings, isFirst }: Decided,
  composite: CompositeName,
  before: DecidedPacket | null,
  { dwell }: PolicyNumbers,
): readonly HeldMemory[] {
  if (isFirst) return [NOT_HELD];
  if (before !== null) {
    const trace = before.state_decision_trace.composites[composite];
    return [{ side: sideOf(trace), packets: trace.held_packets }];
  }
  const own = standings[composite];
  if (own.heldPackets > 1) return [{ side: own.side, packets: own.heldPackets - 1 }];
  const packets = distinct(1, Math.max(1, dwell.held_packets - 1));
  return [NOT_HELD, ...sidesThatMayBeHeld(own, composite).flatMap((side) => packets.map((each) => ({ side, packets: each })))];
}

/** A composite at or above leave that is not held for longer was not held before on its own side. */
function sidesThatMayBeHeld({ side: own, score, leaveAt }: Standing, composite: CompositeName): readonly HeldMemory['side'][] {
  const sides: readonly HeldMemory['side'][] = isSigned(composite) ? [-1, 1] : [own];
  return score >= leaveAt ? sides.filter((side) => side !== own) : sides;
}

interface Published {
  readonly state: string;
  readonly winner_state: string;
}

/** `packets`: consecutive, oldest first. Null without any. */
export function contestOf(packets: readonly Published[]): Dwell | null {
  const newest = packets.at(-1);
  if (newest === undefined) return null;
  const inARow = (holds: (packet: Published) => boolean): number => packets.length - 1 - packets.findLastIndex((packet) => !holds(packet));
  return {
    state: newest.state as StateName,
    winner: newest.winner_state as StateName,
    winnerStreak: inARow(({ winner_state: winner }) => winner === newest.winner_state),
    lostStreak: inARow(({ state, winner_state: winner }) => state === newest.state && winner !== state),
    sinceMs: 0,
    agePackets: 1,
  };
}
