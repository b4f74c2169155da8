import { round6 } from '../numbers/round';
import type { Policy } from '../policy/policy';
import { COMPOSITES, type CompositeName, type PacketRead, type Side, type StateName } from '../read';
import { largestMover, midMoveBps, severityChange, type Mover } from './change-facts';
import { sideWord } from './side-word';
import { tagChange } from './tag-change';

interface WordChange<Word extends string = string, Current extends Word | null = Word> {
  /** One packet before; null in the first of the chain, and for a side that cannot be read. */
  readonly previous: Word | null;
  readonly current: Current;
  readonly changed: boolean;
}

interface ScoreChange {
  /** Null where it cannot be read. */
  readonly current: number | null;
  /** Null where the packet before could not read it. */
  readonly previous: number | null;
  /** current − previous. */
  readonly change: number | null;
  /** Mean over those of up to 30 packets before that could read it; null with none. */
  readonly trailing_mean: number | null;
  /** current − trailing_mean. */
  readonly change_from_trailing_mean: number | null;
}

/** What moved against the packet before and the mean of up to 30 before. */
export interface PacketChanged {
  readonly baseline: 'packet_before_and_mean_of_up_to_30_before';
  readonly state: WordChange<StateName>;
  readonly winner_state: WordChange<StateName>;
  readonly event_class: WordChange;
  readonly event_profile: WordChange;
  /** Side of book pressure and of trade flow; null where it cannot be read. */
  readonly book_side: WordChange<string, string | null>;
  readonly flow_side: WordChange<string, string | null>;
  readonly severity: { readonly previous: number | null; readonly current: number; readonly change: number | null };
  readonly composites: Readonly<Record<CompositeName, ScoreChange>>;
  readonly largest_mover: Mover | null;
  /** Signed, basis points. */
  readonly mid_move_bps: number | null;
  /** Counted tags only. */
  readonly tags_added: readonly string[];
  readonly tags_removed: readonly string[];
  readonly tags_added_total: number;
  readonly tags_removed_total: number;
}

export function packetChanged(read: PacketRead, policy: Policy): PacketChanged {
  const { trail } = read;
  const { added, removed } = tagChange(read, policy);
  return {
    baseline: 'packet_before_and_mean_of_up_to_30_before',
    state: wordChange(trail.previousState, read.published.state),
    winner_state: wordChange(trail.previousWinner, read.decision.winner),
    event_class: wordChange(trail.previousEventClass, read.eventClass),
    event_profile: wordChange(trail.previousEventProfile, read.eventProfile),
    book_side: wordChange(sideWord(trail.previousPressure, 'bid', 'ask'), sideWord(knownSide(read, 'pressure'), 'bid', 'ask')),
    flow_side: wordChange(sideWord(trail.previousFlow, 'buy', 'sell'), sideWord(knownSide(read, 'flow'), 'buy', 'sell')),
    severity: { previous: trail.previousSeverity, current: read.severity.score, change: severityChange(read) },
    composites: Object.fromEntries(COMPOSITES.map((name) => [name, scoreChange(read, name)])) as Record<CompositeName, ScoreChange>,
    largest_mover: largestMover(read),
    mid_move_bps: midMoveBps(read),
    tags_added: added,
    tags_removed: removed,
    tags_added_total: added.length,
    tags_removed_total: removed.length,
  };
}

function wordChange<Word extends string, Current extends Word | null>(previous: Word | null, current: Current): WordChange<Word, Current> {
  return { previous, current, changed: previous !== null && current !== null && previous !== current };
}

function knownSide(read: PacketRead, name: CompositeName): Side | null {
  const { available, side } = read.composites[name];
  return available ? side : null;
}

function scoreChange(read: PacketRead, name: CompositeName): ScoreChange {
  const { available, score } = read.composites[name];
  const previous = read.trail.previousComposites?.[name] ?? null;
  const mean = read.trail.trailingComposites?.[name] ?? null;
  if (!available) return { current: null, previous: null, change: null, trailing_mean: null, change_from_trailing_mean: null };
  return {
    current: score,
    previous,
    change: previous === null ? null : round6(score - previous),
    trailing_mean: mean,
    change_from_trailing_mean: mean === null ? null : round6(score - mean),
  };
}
