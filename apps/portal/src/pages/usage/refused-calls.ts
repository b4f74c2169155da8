import type { Schemas } from '@market-state/client';

type Receipt = Schemas['UsageReceipt'];

/** Null: no limit. */
export type Caps = Pick<
  Schemas['SpendControls'],
  'monthly_credit_cap' | 'daily_credit_cap' | 'per_call_credit_ceiling' | 'export_credit_cap'
>;

interface RefusedCalls {
  readonly calls: number;
  readonly refused: number;
}

/**
 * Counts calls that the caps would have refused. A call is refused, and spends nothing, if its maximum cost does not
 * fit under a cap; days and months start at 00:00 UTC.
 * @param receipts newest first, from the start of the month of `sinceUtc`, so that monthly caps include earlier spend
 * @param sinceUtc earlier calls are not counted
 */
export function refusedCalls(receipts: readonly Receipt[], caps: Caps, sinceUtc: string): RefusedCalls {
  const spent = new Map<string, number>();
  const fits = (cap: number | null, span: string, credits: number): boolean => cap === null || (spent.get(span) ?? 0) + credits <= cap;
  const spend = (span: string, credits: number): void => void spent.set(span, (spent.get(span) ?? 0) + credits);
  const counted = { calls: 0, refused: 0 };
  for (const receipt of receipts.toReversed()) {
    const { served_at_utc: at, estimated_market_state_credit_cost: most, estimated_export_credit_cost: exportMost } = receipt;
    if (most + exportMost === 0) continue;
    const [day, month] = [at.slice(0, 10), at.slice(0, 7)];
    const isServed =
      (caps.per_call_credit_ceiling === null || most <= caps.per_call_credit_ceiling) &&
      fits(caps.daily_credit_cap, day, most) &&
      fits(caps.monthly_credit_cap, month, most) &&
      fits(caps.export_credit_cap, `export ${month}`, exportMost);
    if (isServed) {
      spend(day, receipt.observed_market_state_credit_cost);
      spend(month, receipt.observed_market_state_credit_cost);
      spend(`export ${month}`, receipt.observed_export_credit_cost);
    }
    if (at < sinceUtc) continue;
    counted.calls += 1;
    if (!isServed) counted.refused += 1;
  }
  return counted;
}
