import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { controlFaults, idFaults, laterInstantFaults, lengthFaults, refuseFaults } from '@market-state/request-checks';
import { giveCredits } from '../../operator/give-credits';
import type { OperatorDeps } from './ensure-tenant';

const NOTE_LENGTH_MAX = 200;

/** Gives a tenant credits beside its plan. */
export async function grantCredits(deps: OperatorDeps, request: account.GrantCreditsRequest): Promise<account.GrantCreditsResponse> {
  refuseFaults(grantFaults(request, deps.clock()));
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
}

function grantFaults(
  { tenantId, marketStateCredits, exportCredits, expiresTsMs, note }: account.GrantCreditsRequest,
  nowMs: number,
): Fault[] {
  const isNothing = marketStateCredits + exportCredits === 0;
  return [
    ...idFaults('tenant_id', tenantId),
    ...(isNothing ? [{ field: 'market_state_credits', message: 'must be given, or export_credits', type: 'required' }] : []),
    ...laterInstantFaults('expires_ts_ms', expiresTsMs, nowMs),
    ...lengthFaults('note', note, 1, NOTE_LENGTH_MAX),
    ...controlFaults('note', note),
  ];
}
