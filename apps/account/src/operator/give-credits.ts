import { inTransaction } from '@market-state/postgres';
import { grantCredits } from '../credits';
import { newId } from '../keys/id';
import type { TenantOverview } from '../store/tenant-overviews';
import { overviewOf, type TenantDeps } from './tenants';

/** Credits that an operator gives beside the plan. */
export interface GivenCredits {
  readonly marketState: number;
  readonly export: number;
  /** Milliseconds since the epoch; null: never. */
  readonly expiresMs: number | null;
  /** Why, for the ledger. */
  readonly note: string;
}

/** @throws ServiceError NOT_FOUND with reason `unknown_tenant` */
export function giveCredits({ pool, clock, randomBytes }: TenantDeps, tenantId: string, given: GivenCredits): Promise<TenantOverview> {
  return inTransaction(pool, async (client) => {
    const nowMs = clock();
    const credits = { market_state: given.marketState, export: given.export };
    await grantCredits(client, tenantId, {
      source: 'operator',
      operationId: newId('op', randomBytes),
      note: given.note,
      credits,
      expiresMs: given.expiresMs,
      nowMs,
    });
    return overviewOf(client, tenantId, nowMs);
  });
}
