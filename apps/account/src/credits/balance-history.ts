import { readBalanceSteps } from '../store/balance-hours';
import { balanceSteps } from './balance-steps';
import type { Credits } from './credits';
import { lookAtBook } from './look-at-book';

/** Steps, milliseconds. */
export const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

export interface BalanceSpan {
  readonly tenantId: string;
  /** Milliseconds since the epoch. The span has every step that lies in [from, to), in whole or in part. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly step: keyof typeof STEP_MS;
}

/**
 * A tenant's balances by hour or day, from the postings of the ledger alone. What time alone brings is posted first, so that the last step
 * is the balance of now.
 * @throws ServiceError NOT_FOUND with reason `unknown_tenant`
 */
export async function getBalanceHistory(
  credits: Pick<Credits, 'pool' | 'clock'>,
  { tenantId, fromMs, toMs, step }: BalanceSpan,
): Promise<ReturnType<typeof balanceSteps>> {
  await lookAtBook(credits, { tenantId, keyId: null }, () => undefined);
  const stepMs = STEP_MS[step];
  const whole = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs };
  const sums = await readBalanceSteps(credits.pool, tenantId, { ...whole, step });
  return balanceSteps(sums, { ...whole, stepMs }, credits.clock());
}
