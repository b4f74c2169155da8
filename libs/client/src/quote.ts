import type { Schemas } from './types';

/** Price of one call, binding for five minutes. */
export interface Quote<T> {
  /** Sent as `X-Quote-Id`. */
  readonly id: string;
  /** Most that the call can cost in market-state credits; for a live stream, its first hundred messages. */
  readonly maxCredits: number;
  /** Most that the call can cost in export credits. */
  readonly maxExportCredits: number;
  readonly expiresAtUtc: string;
  /** Complete estimate, with the basis of the price and the balances after the call. */
  readonly estimate: Schemas['UsageEstimate'];
  /** Makes the quoted call. @throws PaymentRequiredError `quote_mismatch` if the quote has expired */
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
