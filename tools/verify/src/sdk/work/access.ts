/** How a client reaches the service. */
export interface Access {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** An answer that the proxy has and the caller gave up would be charged without a trace there. */
export const TIMEOUT_MS = 120_000;
