import type { Schemas } from './types';

/** The price of one call, binding for five minutes. */
export interface Quote<T> {
  /** Sent as `X-Quote-Id`. */
  readonly id: string;
  /** The most that the call can cost, in market-state credits; of a live stream, its first hundred messages. */
  readonly maxCredits: number;
  /** The same in export credits. */
  readonly maxExportCredits: number;
  readonly expiresAtUtc: string;
  /** The whole estimate: what the price depends on, and the balances after it. */
  readonly estimate: Schemas['UsageEstimate'];
  /** Makes the call as it was quoted. @throws PaymentRequiredError `quote_mismatch` when the quote has expired */
  run(): Promise<T>;
}

export function quoteOf<T>(estimate: Schemas['UsageEstimate'], run: () => Promise<T>): Quote<T> {
  return {
    id: estimate.quote_id,
    maxCredits: estimate.estimated_market_state_credit_cost,
    maxExportCredits: estimate.estimated_export_credit_cost,
    expiresAtUtc: estimate.quote_expires_at_utc,
    estimate,
    run,
  };
}
