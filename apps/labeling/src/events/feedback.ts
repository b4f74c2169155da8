export const FEEDBACK_LABELS = ['useful', 'partial', 'missing_context', 'noise'] as const;

export type FeedbackLabel = (typeof FEEDBACK_LABELS)[number];

export type FeedbackTotals = Readonly<Record<FeedbackLabel, number>>;

export const NO_FEEDBACK: FeedbackTotals = { useful: 0, partial: 0, missing_context: 0, noise: 0 };

export interface Judgement {
  readonly tenantId: string;
  readonly eventId: string;
  readonly label: FeedbackLabel;
  readonly note: string;
  readonly recordedTsMs: number;
}

/** The only data revealed about tenants. */
export interface Agreement {
  readonly symbol: string;
  readonly windowEndMs: number;
  readonly state: string;
  readonly eventClass: string;
  readonly replaced: boolean;
  readonly onEvent: FeedbackTotals;
  readonly onState: FeedbackTotals;
  readonly onEventClass: FeedbackTotals;
}

export interface FeedbackStore {
  record(judgement: Judgement): Promise<Agreement | undefined>;
}
