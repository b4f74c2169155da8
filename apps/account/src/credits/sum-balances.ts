import { type Closable, repeatUntilClosed } from '@market-state/lifecycle';
import { withAdvisoryLock } from '@market-state/postgres';
import { keepBalanceHours, listTenantsToSum } from '../store/balance-hours';
import { SETTLE_MS } from './balance-steps';
import { windowAt } from './calendar';
import type { Credits } from './credits';

const SUM_INTERVAL_MS = 300_000;
/** Held by the replica that sums. */
const SUM_LOCK = 5_230_002;
/** Postings of one statement: a fraction of a second of work, which locks no row. */
const POSTINGS_MAX = 50_000;
const HOUR_S = 3_600;

/**
 * Keeps the sums of hours that have ended, of every tenant that has postings without one. Does nothing while another process does it.
 * @returns how many postings it summed
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

/** Sums every five minutes until closed. */
export function keepSummingBalances(credits: Pick<Credits, 'pool' | 'clock' | 'logger'>): Closable {
  return repeatUntilClosed(() => sumBalances(credits), {
    intervalMs: SUM_INTERVAL_MS,
    onError: (error) => credits.logger.warn({ err: error }, 'balances of past hours not summed'),
  });
}
