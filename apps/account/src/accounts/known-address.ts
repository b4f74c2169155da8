import type { Queryable } from '@market-state/postgres';
import { deleteOldestKnownAddresses, saveKnownAddress, wasSeenAt } from '../store/known-addresses';

/** Addresses kept of an account; one more forgets the oldest. */
const KEPT_MAX = 20;
const KEPT_MS = 90 * 86_400_000;

/** Whether the account of an email digest was proved from this address in the last 90 days. */
export function isKnownAddress(db: Queryable, digest: Uint8Array, network: string, nowMs: number): Promise<boolean> {
  return wasSeenAt(db, digest, network, nowMs - KEPT_MS);
}

/** Notes that the account's owner was at this address. */
export async function rememberAddress(db: Queryable, accountId: string, network: string, nowMs: number): Promise<void> {
  await saveKnownAddress(db, accountId, network, nowMs);
  await deleteOldestKnownAddresses(db, accountId, KEPT_MAX);
}
