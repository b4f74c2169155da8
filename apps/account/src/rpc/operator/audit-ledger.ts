import type { account } from '@market-state/contracts';
import { notFound } from '@market-state/errors';
import { optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import { ledgerAudit } from '../../credits';
import type { OperatorDeps } from './ensure-tenant';

export async function auditLedger(deps: OperatorDeps, { tenantId }: account.AuditLedgerRequest): Promise<account.AuditLedgerResponse> {
  refuseFaults(optionalIdFaults('tenant_id', tenantId));
  const { tenants, postings, entries, faults } = await ledgerAudit(deps.pool, deps.clock(), tenantId === '' ? null : tenantId);
  if (tenantId !== '' && tenants === 0) throw notFound('unknown_tenant', 'There is no such tenant.');
  deps.logger[faults.length === 0 ? 'info' : 'error']({ tenants, postings, entries, faults: faults.length }, 'ledger audited');
  return { tenants, postings, entries, faults: [...faults] };
}
