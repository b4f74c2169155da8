import type { SourceKind } from '@market-state/market-data';
import type { Features } from './feature-keys';

/** The candidate states, in the order in which ties are settled (earlier wins). */
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

/** States that say what the sources lack, not what the market does: when one wins, nothing current is read. */
export const SOURCE_STATES: readonly StateName[] = ['insufficient_evidence', 'replay_context_ready'];

/** Composite scores in the order in which they are listed. */
export const COMPOSITES = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'] as const;
export type CompositeName = (typeof COMPOSITES)[number];

/** Source families of section 7. */
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

/** `bid`/`buy` is +1, `ask`/`sell` is −1, 0 is neither. */
export type Side = -1 | 0 | 1;

/** One named number that went into a score, as the trace shows it. `null` value: the source is missing and it counted as 0. */
export interface Term<Value extends number | null = number | null> {
  readonly name: string;
  readonly value: Value;
  /** `source_missing` or `not_available` when the value was taken as 0 for that reason. */
  readonly note?: 'source_missing' | 'not_available';
}

/** One of the six scores at T, and what it is held against. */
export interface CompositeRead {
  /** 0..1. */
  readonly score: number;
  /** The score against its thresholds, 0..1 (X̂). */
  readonly norm: number;
  /** Sign of the signed composite (pressure, flow; liquidation direction for forced_flow); 0 for the unsigned ones. */
  readonly side: Side;
  /** The thresholds in force, 0..1: the symbol's own where this composite is calibrated, else the policy's. */
  readonly watch: number;
  readonly elevated: number;
  /** At or above watch, or at or above `leaveAt` and held in the packet before on this side. */
  readonly held: boolean;
  /** Half the watch in force: what is held leaves under it. */
  readonly leaveAt: number;
  /** Packets in a row in which it was held on this side, this one in; 0 while it is not held. */
  readonly heldPackets: number;
  /** False when every source it reads is missing. */
  readonly available: boolean;
  /** Its parts (signed p, imb_5, m180, thin, churn, wide, oi_change_1h, realized vols …), for the trace and evidence. */
  readonly terms: readonly Term[];
}

/** One of the twelve thresholds, two a composite, and how far the score was from it. */
export interface ThresholdRead {
  /** `<composite>_<level>`, for example `pressure_watch`. */
  readonly featureId: string;
  readonly composite: CompositeName;
  readonly level: 'watch' | 'elevated';
  /** 0..1, as `value`, which is the composite's score. */
  readonly threshold: number;
  readonly value: number;
  /** value − threshold. */
  readonly distance: number;
  readonly crossingClass: 'crossed' | 'near_threshold' | 'below';
}

/** What one of the ten states scored, 0..1, and from what. */
export interface Candidate {
  readonly state: StateName;
  readonly score: number;
  readonly terms: readonly Term[];
  /** What opens it is held; null for the source states and the floor, which are not opened by anything. */
  readonly open: boolean | null;
}

/** Why the published state is what it is, against this packet's raw winner. */
export type PublicationRule = 'first_packet' | 'winner_is_published' | 'changed_to_winner' | 'changed_on_release' | 'held_by_dwell';

/** The most frequent published state of the last 90 packets; shares 0..1. */
export interface SessionState {
  readonly state: StateName;
  readonly share: number;
  /** Packets read, 30 to 90. */
  readonly packetTotal: number;
  /** Packets since it was set, this one in. */
  readonly agePackets: number;
  /** The most frequent of the others; null when there is none. */
  readonly runnerUp: StateName | null;
  readonly runnerUpShare: number | null;
}

/** From which score on a severity class holds, inclusive. */
export interface SeverityBounds {
  readonly elevated: number;
  readonly high: number;
  readonly critical: number;
  readonly source: 'policy_default' | 'symbol_rolling_quantile';
}

/** What severity can rest on. */
export type SeverityDriver = CompositeName | 'movement';

/** State of a source family, and why. The features of a family that is missing are null. */
export type SourceVerdict =
  | { readonly status: 'resolved'; readonly reason: 'inside_staleness_limit' | 'quiet_while_book_fresh' | 'channel_reported' }
  | { readonly status: 'partial'; readonly reason: 'stale' | 'proxy_only' }
  | { readonly status: 'missing'; readonly reason: 'not_reported_by_venue' | 'never_seen' };

/** What was known of one source family at T. */
export type SourceRead = SourceVerdict & {
  readonly family: SourceFamily;
  /** T − exchange time of its last event; null when never seen. */
  readonly ageMs: number | null;
};

/** What one composite looked like one packet, six packets and a trailing mean ago: input of `changed` and the reasons. */
export interface TrailRead {
  readonly previousState: StateName | null;
  readonly previousWinner: StateName | null;
  readonly previousEventClass: string | null;
  readonly previousEventProfile: string | null;
  /** Null for a composite that the packet before could not read. */
  readonly previousComposites: Readonly<Record<CompositeName, number | null>> | null;
  /** Mean over those of up to 30 packets before this one in which the composite could be read; null with none. */
  readonly trailingComposites: Readonly<Record<CompositeName, number | null>> | null;
  readonly previousSeverity: number | null;
  readonly previousTags: readonly string[] | null;
  /** Null where the two mids cannot be compared: no fresh book in either packet, or a book cut between them. */
  readonly previousMid: number | null;
  /** Signed p and f of the packet before; null where it could not read them. */
  readonly previousPressure: number | null;
  readonly previousFlow: number | null;
}

/** Everything read at T up to `quality` in the order of evaluation: what tags may read. */
export interface MarketRead {
  readonly symbol: string;
  readonly venue: string;
  readonly sourceKind: SourceKind;
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly mid: number | null;
  readonly bestBid: string | null;
  readonly bestAsk: string | null;
  readonly features: Features;
  /** Signed imb_1, imb_3, imb_5; null without a book. */
  readonly imbalances: { readonly top1: number | null; readonly top3: number | null; readonly top5: number | null };
  /** Signed trade imbalance over 60 s; null when missing. */
  readonly tradeImbalance: number | null;
  /** Signed price move over six windows, bps; 0 where it cannot be measured. */
  readonly priceMoveBps: number;
  /** False where the mid six windows ago is not there or cannot be compared. */
  readonly priceMoveMeasured: boolean;
  /** Largest move over six windows that counts as absorbed, bps; null without a book. */
  readonly absorptionBoundBps: number | null;
  /** How far mid ranged over 180 s, bps; null without a book. */
  readonly movementBps: number | null;
  /** Names of ratios whose denominator was 0. */
  readonly notAvailable: readonly string[];
  readonly composites: Readonly<Record<CompositeName, CompositeRead>>;
  /** All twelve, in table order. */
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
  /** Gap ids behind the flags, each with its channel and span. */
  readonly gaps: readonly {
    readonly gapId: string;
    readonly channel: string;
    readonly startMs: number;
    readonly endMs: number;
    readonly reason: string;
  }[];
  readonly gapSeconds: number;
  /** Events found late since the log began, and in the last 300 s. */
  readonly lateEventTotal: number;
  /** Events applied in this window by channel. */
  readonly windowEventTotals: Readonly<Record<'book' | 'trade' | 'context' | 'liquidation', number>>;
  readonly decision: {
    readonly winner: StateName;
    readonly winnerScore: number;
    readonly runnerUp: StateName;
    readonly runnerUpScore: number;
    readonly margin: number;
    /** All ten in table order. */
    readonly candidates: readonly Candidate[];
  };
  readonly published: {
    readonly state: StateName;
    readonly rule: PublicationRule;
    readonly changed: boolean;
    /** Packets the published state has held, this one in. */
    readonly agePackets: number;
    readonly persistenceSeconds: number;
    /** Consecutive packets the raw winner has won, this one in. */
    readonly winnerStreak: number;
    /** Consecutive packets the published state has lost, this one in; 0 where it is the raw winner. */
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
    /** M / (M + 20), M being movementBps; null without a book. */
    readonly movementShare: number | null;
    /** Largest X / (X + watch) of the composites. */
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

/** A lane read kept by the reducer: what a slower lane saw at its own instant. */
export interface LaneRead {
  readonly asOfMs: number;
  readonly state: StateName;
  readonly confidence: { readonly score: number; readonly label: 'low' | 'medium' | 'high' };
  /** Packets the lane's window held at that instant. */
  readonly sampleTotal: number;
  /** Share of the lane's window spent in `state`. */
  readonly stateShare: number;
  /** Numbers the lane's reasons and tags may read, by name (means, volatilities, counts), rounded to 6. What is not known is left out. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** The whole read behind one packet. */
export interface PacketRead extends MarketRead {
  readonly tags: readonly string[];
  readonly novelty: number;
  readonly transitionType: TransitionType;
  readonly diagnosisClass: DiagnosisClass;
  /** Present lanes by id; absent while the prefix up to their instant holds no packet. */
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
    /** Packets before this one in the chain. */
    readonly packetsBefore: number;
    /** First and last ordinal of the log entries applied in this window are not here: they are not part of the packet. */
    readonly windowEventTotal: number;
  };
}
