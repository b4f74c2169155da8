export const FEEDBACK_LABELS = ['useful', 'partial', 'missing_context', 'noise'] as const;

/** A reader's judgement on one packet. */
export type FeedbackLabel = (typeof FEEDBACK_LABELS)[number];

/** Judgements counted, one for each tenant and event. */
export type FeedbackTotals = Readonly<Record<FeedbackLabel, number>>;

export const NO_FEEDBACK: FeedbackTotals = { useful: 0, partial: 0, missing_context: 0, noise: 0 };

/** A judgement to keep. */
export interface Judgement {
  readonly tenantId: string;
  readonly eventId: string;
  readonly label: FeedbackLabel;
  /** Empty: none. */
  readonly note: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly recordedTsMs: number;
}

/** How tenants judge, of whom nothing else is told. */
export interface Agreement {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly state: string;
  readonly eventClass: string;
  /** The judgement took the place of an earlier one of its tenant. */
  readonly replaced: boolean;
  readonly onEvent: FeedbackTotals;
  readonly onState: FeedbackTotals;
  readonly onEventClass: FeedbackTotals;
}

export interface FeedbackStore {
  /** Undefined when there is no such event. */
  record(judgement: Judgement): Promise<Agreement | undefined>;
}
