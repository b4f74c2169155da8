import type { Policy } from '../policy/policy';
import { COMPOSITES, type CompositeName, type PacketRead, type Side, type StateName } from '../read';
import { largestMover, midMoveBps, severityChange, type Mover } from './change-facts';
import { sideWord } from './side-word';
import { tagChange } from './tag-change';

/** A word of the packet before against this one's. */
interface WordChange<Word extends string = string> {
  /** Null in the first packet of the chain, and for a side that could not be read. */
  readonly previous: Word | null;
  /** Neither is null, and they differ. */
  readonly changed: boolean;
}

/** What a composite's score is compared with; both null where it cannot be read now. */
interface ScoreBefore {
  /** Null where the packet before could not read it. */
  readonly previous: number | null;
  /** Mean over those of up to 30 packets before that could read it; null with none. */
  readonly trailing_mean: number | null;
}

/** What moved against the packet before and the mean of up to 30 before. */
export interface PacketChanged {
  readonly state: WordChange<StateName>;
  readonly winner_state: WordChange<StateName>;
  readonly event_class: WordChange;
  readonly event_profile: WordChange;
  /** Side of book pressure and of trade flow; null where it cannot be read. */
  readonly book_side: WordChange;
  readonly flow_side: WordChange;
  readonly severity: { readonly previous: number | null; readonly change: number | null };
  readonly composites: Readonly<Record<CompositeName, ScoreBefore>>;
  readonly largest_mover: Pick<Mover, 'composite' | 'change'> | null;
  /** Signed, basis points. */
  readonly mid_move_bps: number | null;
  /** Counted tags only. */
  readonly tags_added: readonly string[];
  readonly tags_removed: readonly string[];
}

export function packetChanged(read: PacketRead, policy: Policy): PacketChanged {
  const { trail } = read;
  const { added, removed } = tagChange(read, policy);
  const mover = largestMover(read);
  return {
    state: wordChange(trail.previousState, read.published.state),
    winner_state: wordChange(trail.previousWinner, read.decision.winner),
    event_class: wordChange(trail.previousEventClass, read.eventClass),
    event_profile: wordChange(trail.previousEventProfile, read.eventProfile),
    book_side: wordChange(sideWord(trail.previousPressure, 'bid', 'ask'), sideWord(knownSide(read, 'pressure'), 'bid', 'ask')),
    flow_side: wordChange(sideWord(trail.previousFlow, 'buy', 'sell'), sideWord(knownSide(read, 'flow'), 'buy', 'sell')),
    severity: { previous: trail.previousSeverity, change: severityChange(read) },
    composites: Object.fromEntries(COMPOSITES.map((name) => [name, scoreBefore(read, name)])) as Record<CompositeName, ScoreBefore>,
    largest_mover: mover === null ? null : { composite: mover.composite, change: mover.change },
    mid_move_bps: midMoveBps(read),
    tags_added: added,
    tags_removed: removed,
  };
}

function wordChange<Word extends string>(previous: Word | null, current: Word | null): WordChange<Word> {
  return { previous, changed: previous !== null && current !== null && previous !== current };
}

function knownSide(read: PacketRead, name: CompositeName): Side | null {
  const { available, side } = read.composites[name];
  return available ? side : null;
}

function scoreBefore(read: PacketRead, name: CompositeName): ScoreBefore {
  if (!read.composites[name].available) return { previous: null, trailing_mean: null };
  return { previous: read.trail.previousComposites?.[name] ?? null, trailing_mean: read.trail.trailingComposites?.[name] ?? null };
}
