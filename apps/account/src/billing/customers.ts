import type { Pool } from 'pg';
import { findCustomer, insertCustomer } from '../store/billing-customers';

/** The tenant as the billing provider knows it; `make` is asked for one when there is none, and may be asked again when that was lost. */
export async function customerOf(pool: Pool, clock: () => number, tenantId: string, make: () => Promise<string>): Promise<string> {
  const known = await findCustomer(pool, tenantId);
  if (known !== undefined) return known;
  const made = await make();
  await insertCustomer(pool, tenantId, made, clock());
  const written = await findCustomer(pool, tenantId);
  if (written === undefined) throw new Error(`the provider's customer ${made} is that of another tenant`);
  return written;
}
