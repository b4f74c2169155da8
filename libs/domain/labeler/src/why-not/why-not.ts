import { decide } from '../decision/decide';
import { type Dwell, publish } from '../decision/publish';
import type { PolicyNumbers } from '../policy/numbers';
import { COMPOSITES, type CompositeName, type MarketRead, SOURCE_STATES, type StateName } from '../read';
import type { HeldMemory } from '../thresholds/held';
import { nearestWin } from './nearest';
import { type Decided, decidedOf, type DecidedPacket, sideOf, type Standing } from './standing';
import { candidatesAt, isSigned, UNITS, type Variation } from './with-composite';

/** The smallest change of one composite with which the runner-up would have won. */
export interface DecisiveChange {
  readonly composite: CompositeName;
  /** The composite's score as it was, and as it would have had to be: 0..1, pressure and flow −1..1, 6 decimals. */
  readonly from: number;
  readonly to: number;
  /** By how much the runner-up would have led then, 0..1, 6 decimals. */
  readonly margin: number;
  /** The state that would have been published then, and by which rule; null where the packets before are not known. */
  readonly published: Pick<MarketRead['published'], 'state' | 'rule'> | null;
}

/** What it would have taken for the runner-up to win. */
export interface WhyNot {
  readonly winner: StateName;
  readonly runnerUp: StateName;
  /** Of each composite that alone can do it, the smallest first. */
  readonly changes: readonly DecisiveChange[];
  /** Composites that have no source, which no number can be put in the place of. */
  readonly absent: readonly CompositeName[];
  /** Composites of which it depends on whether they were held in the packet before, which is not known. */
  readonly undecided: readonly CompositeName[];
  /** Composites that, alone, cannot do it anywhere in their range. */
  readonly never: readonly CompositeName[];
  /** The winner says what the sources lack: no score of the market beats it. */
  readonly isSourceState: boolean;
}

/** What came before the packet, as far as it is known. */
export interface Before {
  /** The packet right before; null: not known. */
  readonly packet: DecidedPacket | null;
  /** The published state and its contest after that packet, as `contestOf` reads it; null: not known. */
  readonly contest: Dwell | null;
}

/**
 * Why the runner-up did not win: for each composite the smallest change of it that would have made it the raw winner, everything else as it
 * is. Arithmetic about the label by its published rules, not about the market. Found by those rules themselves, over every value of six
 * decimals in the composite's range.
 * @returns null where the packet's scores do not follow from its trace under these numbers: it is of another edition or policy
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
    const variations = memoriesOf(decided, composite, before.packet).map((memory) => ({ decided, composite, before: memory, numbers }));
    const found = variations.map((variation) => nearestWin(variation, runnerUp));
    const [units = null] = found;
    if (new Set(found).size > 1) undecided?.push(composite);
    else if (units === null) never?.push(composite);
    else if (variations[0] !== undefined) changes.push(changeTo(variations[0], units, before.contest));
  }
  changes.sort((one, other) => sizeOf(one) - sizeOf(other));
  return { winner, runnerUp, changes, absent: absent ?? [], undecided: undecided ?? [], never: never ?? [], isSourceState };
}

/** The size of a change in millionths: differences of doubles would order equal ones by their rounding. */
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

/** What may have been held of a composite in the packet before: one memory where that is known, else each that this packet allows. */
function memoriesOf({ standings, isFirst }: Decided, composite: CompositeName, before: DecidedPacket | null): readonly HeldMemory[] {
  if (isFirst) return [NOT_HELD];
  if (before !== null) {
    const trace = before.state_decision_trace.composites[composite];
    return [{ side: sideOf(trace), packets: trace.held_packets }];
  }
  const own = standings[composite];
  if (own.heldPackets > 1) return [{ side: own.side, packets: own.heldPackets - 1 }];
  return [NOT_HELD, ...sidesThatMayBeHeld(own, composite).map((side) => ({ side, packets: 1 }))];
}

/** A composite that is at or above leave, and not held for longer, was not held before on its own side. */
function sidesThatMayBeHeld({ side: own, score, leaveAt }: Standing, composite: CompositeName): readonly HeldMemory['side'][] {
  const sides: readonly HeldMemory['side'][] = isSigned(composite) ? [-1, 1] : [own];
  return score >= leaveAt ? sides.filter((side) => side !== own) : sides;
}

/** What is known of a packet by its row: the published state, and the raw winner. */
interface Published {
  readonly state: string;
  readonly winner_state: string;
}

/** The published state and its contest after the newest of these packets, oldest first, all in a row; null without any. */
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
