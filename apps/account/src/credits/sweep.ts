import { inTransaction, withAdvisoryLock } from '@market-state/postgres';
import { listDueTenants } from '../store/tenants';
import type { Credits } from './credits';
import { withBook } from './with-credit-ledger';

const SWEEP_LOCK = 5_230_001;
const TENANTS_MAX = 1_000;

/** Brings tenants with time-driven changes up to date. Does nothing while another process does it. */
export async function sweepCredits({ pool, clock, logger }: Pick<Credits, 'pool' | 'clock' | 'logger'>): Promise<number> {
  let swept = 0;
  await withAdvisoryLock(pool, SWEEP_LOCK, async (client) => {
    for (const tenantId of await listDueTenants(client, clock(), TENANTS_MAX)) {
      await inTransaction(pool, (own) => withBook(own, tenantId, clock(), () => undefined)).then(
        () => (swept += 1),
        (error: unknown) => logger.error({ err: error, tenant_id: tenantId }, 'bringing credits up to date failed'),
      );
    }
  });
  return swept;
}
