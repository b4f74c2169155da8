import type { SourceKind } from '@market-state/market-data';

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

/** Event position across all symbols: by window, then by symbol. */
export interface EventPosition {
  readonly windowEndMs: number;
  readonly symbol: string;
}
