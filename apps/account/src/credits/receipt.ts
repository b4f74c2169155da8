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

/** At most one id is set; both are empty for work without a call. */
export interface Caller {
  readonly keyId: string;
  readonly accountId: string;
}

export interface Receipt {
  readonly operationId: string;
  readonly requestId: string;
  readonly caller: Caller;
  readonly priced: Priced;
  readonly status: number;
  readonly servedMs: number;
}
