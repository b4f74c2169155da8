import { EXIT } from '../cli-error';
import { count, counted, instant } from '../io/instant';
import { wholeTable } from '../io/table';
import type { AccountCalls } from './account-service';
import type { Done } from './done';
import { findTenant } from './tenants';

/** Credits to give beside the plan. */
export interface Gift {
  readonly tenant: string;
  readonly marketStateCredits: number;
  readonly exportCredits: number;
  /** Milliseconds since the epoch; undefined: never. */
  readonly expiresMs?: number;
  readonly note: string;
}

export async function giveCredits(
  calls: AccountCalls,
  { tenant, marketStateCredits, exportCredits, expiresMs, note }: Gift,
): Promise<Done> {
  const { tenantId } = await findTenant(calls, tenant);
  const { marketStateAvailable, exportAvailable } = await calls.operator.grantCredits({
    tenantId,
    marketStateCredits,
    exportCredits,
    expiresTsMs: expiresMs ?? 0,
    note,
  });
  return { lines: [`${tenantId} has ${count(marketStateAvailable)} market-state and ${count(exportAvailable)} export credits now.`] };
}

/** A token that binds an account: alone on stdout, told this once. */
export async function makeClaimToken(calls: AccountCalls, tenant: string): Promise<Done> {
  const { tenantId } = await findTenant(calls, tenant);
  const { claimToken, expiresTsMs } = await calls.operator.createClaimToken({ tenantId });
  return {
    lines: [claimToken],
    notes: [`It binds one account to ${tenantId} until ${instant(expiresTsMs)}. It is shown only this once: save it now.`],
  };
}

/** Every balance anew from the entries: equal, or each difference in a line. */
export async function auditLedger(calls: AccountCalls, tenant: string | undefined): Promise<Done> {
  const tenantId = tenant === undefined ? '' : (await findTenant(calls, tenant)).tenantId;
  const { tenants, postings, entries, faults } = await calls.operator.auditLedger({ tenantId });
  const seen = `${counted(tenants, 'tenant')}, ${counted(postings, 'posting')}, ${counted(entries, 'entry', 'entries')}`;
  if (faults.length === 0) return { lines: [`${seen}: every balance matches its entries`] };
  const rows = faults.map((fault) => [fault.tenantId, fault.message]);
  return {
    lines: [`${seen}: ${counted(faults.length, 'difference')}`, ...wholeTable(['tenant', 'difference'], rows)],
    exitCode: EXIT.different,
  };
}
