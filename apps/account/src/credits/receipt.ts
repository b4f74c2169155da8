/** What work costs, by which prices. */
export interface Priced {
  readonly method: string;
  readonly route: string;
  readonly workloadFamily: string;
  readonly priceVersion: string;
  readonly estimatedMarketStateCredits: number;
  readonly observedMarketStateCredits: number;
  readonly estimatedExportCredits: number;
  readonly observedExportCredits: number;
  readonly quoteId: string;
  readonly artifactIds: readonly string[];
}

/** Who called: one of the two is empty, both for what is done for a tenant without a call of it. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
}

/** What a metered call cost. */
export interface Receipt {
  readonly operationId: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly priced: Priced;
  /** HTTP status of the answer. */
  readonly status: number;
  readonly servedMs: number;
}
