import type { SourceKind } from '@market-state/market-data';
import type { Features, CompositeName } from './names';

/** In tie-breaking order: earlier wins. */
export const STATES = [
  'insufficient_evidence',
  'replay_context_ready',
  'pressure_building',
  'flow_shift_watch',
  'fragile_depth_watch',
  'depth_watch',
  'crowding_shift',
  'crowding_persistent',
  'regime_transition_candidate',
  'market_state_watch',
] as const;
export type StateName = (typeof STATES)[number];

/** States about the sources: if one wins, there is no current read of the market. */
export const SOURCE_STATES: readonly StateName[] = ['insufficient_evidence', 'replay_context_ready'];

export const SOURCE_FAMILIES = ['book', 'trades', 'asset_context', 'liquidations', 'candles'] as const;
export type SourceFamily = (typeof SOURCE_FAMILIES)[number];

export type GapFlag =
  | 'book_gap'
  | 'trade_gap'
  | 'context_stale'
  | 'liquidation_proxy_only'
  | 'feed_reconnected'
  | 'recording_seam'
  | 'late_events';

/** +1 for `bid`/`buy`, −1 for `ask`/`sell`, 0 for neither. */
export type Side = -1 | 0 | 1;

/** Value is null if the source is missing; it then counts as 0. */
export interface Term<Value extends number | null = number | null> {
  readonly name: string;
  readonly value: Value;
  readonly note?: 'source_missing' | 'not_available';
}

export interface CompositeRead {
  readonly score: number;
  /** Score relative to its thresholds, 0 to 1 (X̂). */
  readonly norm: number;
  readonly side: Side;
  /** In force: the symbol's own if calibrated, else the policy's. */
  readonly watch: number;
  readonly elevated: number;
  /** At or above watch, or at or above `leaveAt` and held on this side in the previous packet. */
  readonly held: boolean;
  /** 0.4 of the watch in force; a held composite leaves below it. */
  readonly leaveAt: number;
  /** Including this packet; 0 if not held. */
  readonly heldPackets: number;
  /** False if every source it reads is missing. */
  readonly available: boolean;
  readonly terms: readonly Term[];
}

export interface ThresholdRead {
  readonly featureId: string;
  readonly composite: CompositeName;
  readonly level: 'watch' | 'elevated';
  /** 0 to 1, like `value`, the composite's score. */
  readonly threshold: number;
  readonly value: number;
  readonly distance: number;
  readonly crossingClass: 'crossed' | 'near_threshold' | 'below';
}

export interface Candidate {
  readonly state: StateName;
  readonly score: number;
  readonly terms: readonly Term[];
  /** Null for the source states and the floor, which nothing opens. */
  readonly open: boolean | null;
}

export type PublicationRule = 'first_packet' | 'winner_is_published' | 'changed_to_winner' | 'changed_on_release' | 'held_by_dwell';

export interface SessionState {
  readonly state: StateName;
  readonly share: number;
  readonly packetTotal: number;
  readonly agePackets: number;
  readonly runnerUp: StateName | null;
  readonly runnerUpShare: number | null;
}

/**
 * Means of the packets' 10 s price ranges, in basis points with 12 decimals. A mean of length n is the plain mean of the
 * first n ranges; each later range moves it by (range − mean) / n. A packet without a return adds no range.
 */
export interface RangeMeans {
  readonly total: number;
  readonly newest: number;
  /** Over about 1, 5 and 30 minutes. */
  readonly fast: number;
  readonly middle: number;
  readonly slow: number;
  /** The symbol's usual range: mean of the first hour, then over two days. */
  readonly level: number;
}

/** Inclusive. */
export interface SeverityBounds {
  readonly elevated: number;
  readonly high: number;
  readonly critical: number;
  readonly source: 'policy_default';
}

export type SeverityDriver = 'movement' | 'thin_depth';

export type SourceVerdict =
  | { readonly status: 'resolved'; readonly reason: 'inside_staleness_limit' | 'quiet_while_book_fresh' | 'channel_reported' }
  | { readonly status: 'partial'; readonly reason: 'stale' | 'proxy_only' }
  | { readonly status: 'missing'; readonly reason: UnreportedReason | 'never_seen' };

/**
 * The venue's public feed lacks the family, this recording or simulation does not contain it, or this live source does
 * not subscribe to it.
 */
export type UnreportedReason = 'not_reported_by_venue' | 'not_in_this_source' | 'not_subscribed';

export type SourceRead = SourceVerdict & {
  readonly family: SourceFamily;
  /** T − exchange time of its last event; null if there was none. */
  readonly ageMs: number | null;
};

export interface TrailRead {
  readonly previousState: StateName | null;
  readonly previousWinner: StateName | null;
  readonly previousEventClass: string | null;
  readonly previousEventProfile: string | null;
  readonly previousComposites: Readonly<Record<CompositeName, number | null>> | null;
  readonly trailingComposites: Readonly<Record<CompositeName, number | null>> | null;
  readonly previousSeverity: number | null;
  readonly previousTags: readonly string[] | null;
  readonly previousMid: number | null;
  readonly previousPressure: number | null;
  readonly previousFlow: number | null;
}

/** Inputs of tags: everything read at T up to `quality`, in evaluation order. */
export interface MarketRead {
  readonly symbol: string;
  /** Key of the symbol at this venue. */
  readonly market: string;
  readonly venue: string;
  readonly sourceKind: SourceKind;
  readonly windowEndMs: number;
  readonly mid: number | null;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly features: Features;
  readonly imbalances: { readonly top1: number | null; readonly top3: number | null; readonly top5: number | null };
  readonly tradeImbalance: number | null;
  /** Signed, over six windows; 0 if it cannot be measured. */
  readonly priceMoveBps: number;
  readonly priceMoveMeasured: boolean;
  readonly absorptionBoundBps: number | null;
  readonly movementBps: number | null;
  readonly ranges: RangeMeans | null;
  readonly notAvailable: readonly string[];
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  readonly thresholds: readonly ThresholdRead[];
  readonly calibration: {
    readonly thresholdSource: 'policy_default' | 'symbol_rolling_quantile';
    readonly live: boolean;
    readonly sampleTotal: number;
  };
  readonly realizedVolShort: number | null;
  readonly realizedVolSession: number | null;
  readonly oiChange1h: number | null;
  readonly sources: readonly SourceRead[];
  readonly sourceSupportRatio: number;
  readonly gapFlags: readonly GapFlag[];
  readonly gaps: readonly {
    readonly gapId: string;
    readonly channel: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly reason: string;
  }[];
  readonly gapSeconds: number;
  readonly lateEventTotal: number;
  readonly windowEventTotals: Readonly<Record<'book' | 'trade' | 'context' | 'liquidation', number>>;
  readonly decision: {
    readonly winner: StateName;
    readonly winnerScore: number;
    readonly runnerUp: StateName;
    readonly runnerUpScore: number;
    readonly margin: number;
    readonly candidates: readonly Candidate[];
  };
  readonly published: {
    readonly state: StateName;
    readonly rule: PublicationRule;
    readonly changed: boolean;
    /** Packets the published state has lasted, including this one. */
    readonly agePackets: number;
    readonly persistenceSeconds: number;
    readonly winnerStreak: number;
    /** Including this packet; 0 if it is the raw winner. */
    readonly lostStreak: number;
  };
  /** Null in the first 29 packets. */
  readonly sessionState: SessionState | null;
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly direction: string;
  readonly severity: {
    readonly score: number;
    readonly severityClass: SeverityClass;
    readonly basis: readonly SeverityDriver[];
    /** Recent price ranges against the symbol's own level; null before the first range. */
    readonly movementShare: number | null;
    /** Depth near the mid against its own level; null without a book. */
    readonly thinShare: number | null;
    readonly strongestShare: number;
    readonly bounds: SeverityBounds;
  };
  readonly contradiction: { readonly score: number; readonly terms: readonly Term[] };
  readonly confidence: { readonly score: number; readonly label: 'low' | 'medium' | 'high'; readonly terms: readonly Term<number>[] };
  readonly quality: { readonly score: number; readonly qualityClass: QualityClass };
  readonly trail: TrailRead;
}

export type SeverityClass = 'routine_context' | 'elevated_context' | 'high_context' | 'critical_context';
export type QualityClass = 'strong' | 'usable' | 'limited';
export type TransitionType = 'lineage_context_pending' | 'state_changed' | 'same_state_new_context' | 'state_reaffirmed';
export type DiagnosisClass = 'contested_context_review' | 'active_context_read' | 'competing_state_read';

/** Read of a slower lane at its own instant, stored by the reducer. */
export interface LaneRead {
  readonly asOfMs: number;
  readonly state: StateName;
  readonly confidence: { readonly score: number; readonly label: 'low' | 'medium' | 'high' };
  readonly sampleTotal: number;
  readonly stateShare: number;
  /** For the lane's reasons and tags, rounded to 6 decimals. Unknown values are omitted. */
  readonly numbers: Readonly<Record<string, number>>;
}

export interface PacketRead extends MarketRead {
  readonly tags: readonly string[];
  readonly novelty: number;
  readonly transitionType: TransitionType;
  readonly diagnosisClass: DiagnosisClass;
  /** Lanes with a read; absent until a packet precedes their instant. */
  readonly lanes: {
    readonly shortWindow: LaneRead;
    readonly sessionRegime: LaneRead | null;
    readonly historicalReplay: LaneRead | null;
    readonly eventLineage: LaneRead;
  };
  readonly lineage: {
    readonly packetId: string;
    readonly eventId: string;
    readonly policyDigest: string;
    readonly inputDigest: string;
    readonly previousLineageDigest: string;
    readonly previousPacketId: string | null;
    readonly packetsBefore: number;
    readonly windowEventTotal: number;
  };
}
