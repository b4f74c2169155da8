import { withAdvisoryLock } from '@market-state/postgres';
import { readBalanceSteps, keepBalanceHours, listTenantsToSum } from '../store/balance-hours';
import { balanceSteps, SETTLE_MS } from './balance-steps';
import type { Credits } from './credits';
import { readCreditBook } from './with-credit-ledger';
import { windowAt } from './calendar';

const SUM_LOCK = 5_230_002;
/** Postings per statement: a fraction of a second of work without row locks. */
const POSTINGS_MAX = 50_000;
const HOUR_S = 3_600;

/**
 * Stores hourly sums of ended hours. Does nothing while another process does it.
 * @returns number of postings summed
 */
export async function sumBalances({ pool, clock }: Pick<Credits, 'pool' | 'clock'>, postingsMax = POSTINGS_MAX): Promise<number> {
  const { fromMs: untilMs } = windowAt(HOUR_S, clock() - SETTLE_MS);
  let summed = 0;
  await withAdvisoryLock(pool, SUM_LOCK, async (client) => {
    for (const tenantId of await listTenantsToSum(client, untilMs)) {
      let total: number;
      do {
        total = await keepBalanceHours(client, tenantId, untilMs, postingsMax);
        summed += total;
      } while (total === postingsMax);
    }
  });
  return summed;
}

const STEP_MS = { hour: 3_600_000, day: 86_400_000 } as const;

interface BalanceSpan {
  readonly tenantId: string;
  /** Epoch milliseconds. Steps that overlap [from, to) are included. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly step: keyof typeof STEP_MS;
}

/**
 * Balances from ledger postings only. Time-driven changes are posted first, so that the last step is the current
 * balance.
 * @throws ServiceError `unknown_tenant`
 */
export async function getBalanceHistory(
  credits: Pick<Credits, 'pool' | 'clock'>,
  { tenantId, fromMs, toMs, step }: BalanceSpan,
): Promise<ReturnType<typeof balanceSteps>> {
  await readCreditBook(credits, { tenantId, keyId: null }, () => undefined);
  const stepMs = STEP_MS[step];
  const whole = { fromMs: Math.floor(fromMs / stepMs) * stepMs, toMs: Math.ceil(toMs / stepMs) * stepMs };
  const sums = await readBalanceSteps(credits.pool, tenantId, { ...whole, step });
  return balanceSteps(sums, { ...whole, stepMs }, credits.clock());
}
