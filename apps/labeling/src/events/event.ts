import type { SourceKind } from '@market-state/market-data';

/** What the index of events keeps of one packet. */
export interface EventRecord {
  readonly symbol: string;
  /** T, milliseconds since the epoch. */
  readonly windowEndMs: number;
  readonly sequence: number;
  readonly eventId: string;
  /** From when the packet is known, milliseconds since the epoch. */
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
  /** A score lies within 10 % below a threshold. */
  readonly nearThreshold: boolean;
  readonly sourceKind: SourceKind;
  /** Absent without a book. */
  readonly midPrice: number | undefined;
  /** Name of `state` for people. */
  readonly stateLabel: string;
  readonly runnerUpState: string;
  /** Score of the winner minus that of the runner-up, 0..1. */
  readonly stateMargin: number;
}

/** The order in which events are read. */
export type EventOrder = 'oldest_first' | 'newest_first';

/** Which events are wanted: those that meet every condition. */
export interface EventFilter {
  /** Null: every symbol. */
  readonly symbol: string | null;
  /** Window ends, inclusive and exclusive; null: unbounded. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
  /** Only what was known by then; null: all. */
  readonly asOfMs: number | null;
  /** In lower case; all of them must be in the state, the tags or the reasons. */
  readonly words: readonly string[];
  /** All of them must be there. */
  readonly tags: readonly string[];
  /** Conditions on single values. */
  readonly values: Readonly<Partial<Record<'state' | 'event_class' | 'event_profile' | 'severity_class', string>>>;
}

/** Where an event stands among those of every symbol: by window, then by symbol. */
export interface EventPlace {
  readonly windowEndMs: number;
  readonly symbol: string;
}
