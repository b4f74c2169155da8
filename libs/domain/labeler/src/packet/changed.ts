import type { Policy } from '../policy/policy';
import type { PacketRead, Side, StateName, MarketRead, SourceFamily } from '../read';
import { COMPOSITES, type CompositeName } from '../names';
import { countedTags } from '../policy/rules';
import { round6 } from '../numbers/round';
import type { Facts } from '../policy/facts';

export function sideWord(value: number | null, positive: string, negative: string): string | null {
  if (value === null) return null;
  return value > 0 ? positive : value < 0 ? negative : 'none';
}

interface Mover {
  readonly composite: CompositeName;
  readonly current: number;
  readonly trailing_mean: number;
  readonly change: number;
}

/** The earlier composite wins a tie. */
function largestMover(read: MarketRead): Mover | null {
  const trailing = read.trail.trailingComposites;
  if (trailing === null) return null;
  let mover: Mover | null = null;
  for (const name of COMPOSITES) {
    const { available, score } = read.composites[name];
    const mean = trailing[name];
    if (!available || mean === null) continue;
    const change = round6(score - mean);
    if (mover === null || Math.abs(change) > Math.abs(mover.change))
      mover = { composite: name, current: score, trailing_mean: mean, change };
  }
  return mover;
}

function midMoveBps(read: MarketRead): number | null {
  const previous = read.trail.previousMid;
  return read.mid === null || previous === null ? null : round6(10_000 * (read.mid / previous - 1));
}

function severityChange(read: MarketRead): number | null {
  const previous = read.trail.previousSeverity;
  return previous === null ? null : round6(read.severity.score - previous);
}

export function changeFacts(read: MarketRead): Facts {
  const { trail } = read;
  const mover = largestMover(read);
  const midMove = midMoveBps(read);
  return {
    has_previous: trail.previousState !== null,
    previous_state: trail.previousState,
    previous_event_class: trail.previousEventClass,
    state_moved: trail.previousState !== null && trail.previousState !== read.published.state,
    event_class_moved: trail.previousEventClass !== null && trail.previousEventClass !== read.eventClass,
    previous_book_side: sideWord(trail.previousPressure, 'bid', 'ask'),
    previous_flow_side: sideWord(trail.previousFlow, 'buy', 'sell'),
    previous_pressure_score: read.composites.pressure.available ? (trail.previousComposites?.pressure ?? null) : null,
    previous_flow_score: read.composites.flow.available ? (trail.previousComposites?.flow ?? null) : null,
    previous_severity_score: trail.previousSeverity,
    severity_change: severityChange(read),
    mid_move_bps: midMove,
    mid_move_bps_abs: midMove === null ? null : Math.abs(midMove),
    mover: mover?.composite ?? null,
    mover_value: mover?.current ?? null,
    mover_trailing_mean: mover?.trailing_mean ?? null,
    mover_change: mover?.change ?? null,
  };
}

export function tagChange(read: PacketRead, policy: Policy): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  if (read.trail.previousTags === null) return { added: [], removed: [] };
  const previous = countedTags(read.trail.previousTags, policy);
  const current = countedTags(read.tags, policy);
  return {
    added: current.filter((tag) => !previous.includes(tag)),
    removed: previous.filter((tag) => !current.includes(tag)),
  };
}

interface WordChange<Word extends string = string> {
  /** Null in the chain's first packet, and for an unreadable side. */
  readonly previous: Word | null;
  readonly changed: boolean;
}

interface ScoreBefore {
  readonly previous: number | null;
  /** Mean of up to 30 earlier packets; null without any. */
  readonly trailing_mean: number | null;
}

export interface PacketChanged {
  readonly state: WordChange<StateName>;
  readonly winner_state: WordChange<StateName>;
  readonly event_class: WordChange;
  readonly event_profile: WordChange;
  readonly book_side: WordChange;
  readonly flow_side: WordChange;
  readonly severity: { readonly previous: number | null; readonly change: number | null };
  readonly composites: Readonly<Record<CompositeName, ScoreBefore>>;
  readonly largest_mover: Pick<Mover, 'composite' | 'change'> | null;
  readonly mid_move_bps: number | null;
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

export interface PacketLineageSummary {
  readonly previous_packet_id: string | null;
  readonly packets_before: number;
  readonly previous_state: StateName | null;
  readonly vote_score: number | null;
  /** Null for channels that this source does not report. */
  readonly window_event_total: number;
  readonly window_event_totals: Readonly<Record<keyof PacketRead['windowEventTotals'], number | null>>;
}

export function packetLineageSummary(read: PacketRead): PacketLineageSummary {
  return {
    previous_packet_id: read.lineage.previousPacketId,
    packets_before: read.lineage.packetsBefore,
    previous_state: read.trail.previousState,
    vote_score: read.features.lineage_vote_score,
    window_event_total: read.lineage.windowEventTotal,
    window_event_totals: {
      book: reportedTotal(read, 'book', 'book'),
      trade: reportedTotal(read, 'trades', 'trade'),
      context: reportedTotal(read, 'asset_context', 'context'),
      liquidation: reportedTotal(read, 'liquidations', 'liquidation'),
    },
  };
}

function reportedTotal(read: PacketRead, family: SourceFamily, channel: keyof PacketRead['windowEventTotals']): number | null {
  const source = read.sources.find((other) => other.family === family);
  const unseen = source?.status === 'missing' && source.reason !== 'never_seen';
  return unseen ? null : read.windowEventTotals[channel];
}
