import type { StoredLabel } from '@market-state/report';
import type { SourceKind } from '@market-state/market-data';
import type { FeedbackTotals } from '../feedback/feedback';

export interface EventRecord {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly sequence: number;
  readonly eventId: string;
  readonly knownTsMs: number;
  readonly state: string;
  readonly winnerState: string;
  readonly eventClass: string;
  readonly eventProfile: string;
  readonly severityClass: string;
  readonly severityScore: number;
  readonly transitionType: string;
  readonly diagnosisClass: string;
  readonly confidenceScore: number;
  readonly confidenceLabel: string;
  readonly contradictionScore: number;
  readonly noveltyScore: number;
  readonly qualityScore: number;
  readonly gapFlags: readonly string[];
  readonly stateAgePackets: number;
  readonly tags: readonly string[];
  /** A score is at most 10 % below a threshold. */
  readonly nearThreshold: boolean;
  readonly sourceKind: SourceKind;
  readonly midPrice: number | undefined;
  readonly stateLabel: string;
  readonly runnerUpState: string;
  readonly stateMargin: number;
}

export type EventOrder = 'oldest_first' | 'newest_first';

export interface EventFilter {
  readonly symbol: string | null;
  /** Window ends, inclusive and exclusive; null: unbounded. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Only events known at this time; null: all. */
  readonly asOfMs: number | null;
  /** Lower case; all must occur in the state, the tags or the reasons. */
  readonly words: readonly string[];
  readonly tags: readonly string[];
  readonly values: Readonly<Partial<Record<'state' | 'event_class' | 'event_profile' | 'severity_class', string>>>;
}

/** Ordered by window, then by symbol. */
export interface EventPosition {
  readonly windowEndMs: number;
  readonly symbol: string;
}

export interface StoredPackets {
  readonly symbol: string;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  readonly total: number;
  readonly archive: ArchiveTotals;
}

export interface ArchiveTotals {
  readonly hourTotal: number;
  readonly rowTotal: number;
  readonly byteTotal: number | undefined;
  /** Earlier windows are only in the archive; 0 if there are none. */
  readonly hotFromMs: number;
}

export type PacketHoursFilter = Pick<EventFilter, 'fromMs' | 'toMs' | 'asOfMs'> & { readonly symbol: string };

export interface PacketHour {
  readonly hourMs: number;
  readonly rowTotal: number;
  readonly file: { readonly key: string; readonly sha256: string; readonly bytes: number } | undefined;
}

export interface PacketHours {
  /** Oldest first; hours without packets are omitted. */
  readonly hours: readonly PacketHour[];
  /** Oldest retained packet; undefined without packets. */
  readonly keptFromMs: number | undefined;
}

/** A span is a run of packets in one state with adjacent windows. */
interface StateStability {
  readonly state: string;
  readonly packetTotal: number;
  readonly spanTotal: number;
  /** Spans that start and end with a change of state. */
  readonly wholeSpanTotal: number;
  /** Statistics of whole spans; null if there are none. */
  readonly dwellMeanS: number | null;
  readonly dwellMedianS: number | null;
  readonly dwellLongestS: number;
  readonly exitTotal: number;
  readonly nearThresholdTotal: number;
  readonly transitions: readonly { readonly toState: string; readonly total: number }[];
  readonly feedback: FeedbackTotals;
}

export interface Stability {
  readonly packetTotal: number;
  /** Packets with an adjacent successor. */
  readonly pairTotal: number;
  readonly states: readonly StateStability[];
}

export type StabilityWindow = Pick<EventFilter, 'symbol' | 'fromMs' | 'toMs' | 'asOfMs'>;

export interface EventIndex {
  /** At most `count` events after a position (null: from the start). */
  list(filter: EventFilter, order: EventOrder, beyond: EventPosition | null, count: number): Promise<EventRecord[]>;
  stability(window: StabilityWindow): Promise<Stability>;
  /** Oldest first. */
  labels(window: StabilityWindow, count: number): Promise<StoredLabel[]>;
  hours(span: PacketHoursFilter): Promise<PacketHours>;
  /**
   * Ordered as `symbols`.
   * @param asOfMs state of knowledge at this time; null: now
   */
  held(symbols: readonly string[], asOfMs: number | null): Promise<StoredPackets[]>;
}
