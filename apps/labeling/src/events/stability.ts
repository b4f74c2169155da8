import type { FeedbackTotals } from '../feedback/feedback';

/** How steady one state was. A span is a run of packets in one state whose windows touch. */
export interface StateStability {
  readonly state: string;
  readonly packetTotal: number;
  readonly spanTotal: number;
  /** Spans that begin and end with a change of state. */
  readonly wholeSpanTotal: number;
  /** Of whole spans, seconds; null where there is none. */
  readonly dwellMeanS: number | null;
  readonly dwellMedianS: number | null;
  /** Of every span. */
  readonly dwellLongestS: number;
  readonly exitTotal: number;
  readonly nearThresholdTotal: number;
  /** What followed each of its packets. */
  readonly transitions: readonly { readonly toState: string; readonly total: number }[];
  readonly feedback: FeedbackTotals;
}

export interface Stability {
  readonly packetTotal: number;
  /** Packets that another follows. */
  readonly pairTotal: number;
  /** The most frequent first. */
  readonly states: readonly StateStability[];
}
