import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { giveCredits } from '../../operator/give-credits';
import { listTenants, setTenantDisabled, type TenantPlace } from '../../operator/tenants';
import { controlFaults, endFaults, idFaults, lengthFaults, refuseFaults } from '../fields';
import { decodeCursor, encodeCursor, pageFaults } from '../page';
import type { OperatorDeps } from './ensure-tenant';
import { toProtoTenant } from './wire';

const NOTE_LENGTH_MAX = 200;

export function createListTenants(deps: OperatorDeps) {
  return async function listTenantsRpc({ limit, cursor }: account.ListTenantsRequest): Promise<account.ListTenantsResponse> {
    const after = decodeCursor('t1', cursor);
    const faults = pageFaults(limit, after);
    if (faults.length > 0) throw invalidArgument(faults);
    const tenants = await listTenants(deps, limit + 1, after === undefined || after === null ? null : placeOf(after));
    const page = tenants.slice(0, limit);
    const last = tenants.length > limit ? page.at(-1) : undefined;
    return {
      tenants: page.map(toProtoTenant),
      nextCursor: last === undefined ? '' : encodeCursor('t1', { atMs: last.createdMs, id: last.tenantId }),
    };
  };
}

export function createGrantCredits(deps: OperatorDeps) {
  return async function grantCreditsRpc(request: account.GrantCreditsRequest): Promise<account.GrantCreditsResponse> {
    const faults = grantFaults(request, deps.clock());
    if (faults.length > 0) throw invalidArgument(faults);
    const tenant = await giveCredits(deps, request.tenantId, {
      marketState: request.marketStateCredits,
      export: request.exportCredits,
      expiresMs: request.expiresTsMs === 0 ? null : request.expiresTsMs,
      note: request.note,
    });
    const { tenantId, marketStateCredits, exportCredits } = request;
    deps.logger.info(
      { tenant_id: tenantId, market_state_credits: marketStateCredits, export_credits: exportCredits },
      'credits granted by the operator',
    );
    return { marketStateAvailable: tenant.marketStateAvailable, exportAvailable: tenant.exportAvailable };
  };
}

export function createSetTenantDisabled(deps: OperatorDeps) {
  return async function setTenantDisabledRpc({
    tenantId,
    disabled,
  }: account.SetTenantDisabledRequest): Promise<account.SetTenantDisabledResponse> {
    refuseFaults(idFaults('tenant_id', tenantId));
    const tenant = await setTenantDisabled(deps, tenantId, disabled);
    deps.logger.info({ tenant_id: tenantId, disabled }, 'tenant disabled or enabled');
    return { tenant: toProtoTenant(tenant) };
  };
}

function placeOf({ atMs, id }: { readonly atMs: number; readonly id: string }): TenantPlace {
  return { createdMs: atMs, tenantId: id };
}

function grantFaults(
  { tenantId, marketStateCredits, exportCredits, expiresTsMs, note }: account.GrantCreditsRequest,
  nowMs: number,
): Fault[] {
  const isNothing = marketStateCredits + exportCredits === 0;
  return [
    ...idFaults('tenant_id', tenantId),
    ...(isNothing ? [{ field: 'market_state_credits', message: 'must be given, or export_credits', type: 'required' }] : []),
    ...endFaults('expires_ts_ms', expiresTsMs, nowMs),
    ...lengthFaults('note', note, 1, NOTE_LENGTH_MAX),
    ...controlFaults('note', note),
  ];
}
