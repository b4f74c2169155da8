import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { idFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/spend-controls';

/** Replaces a tenant's spend controls. */
export async function setSpendControls(
  credits: Credits,
  { tenantId, controls }: account.SetSpendControlsRequest,
): Promise<account.SetSpendControlsResponse> {
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...(controls === undefined ? [{ field: 'controls', message: 'must be given', type: 'required' }] : []),
  ];
  if (faults.length > 0 || controls === undefined) throw invalidArgument(faults);
  await ledger.setSpendControls(credits, tenantId, {
    monthlyCreditCap: controls.monthlyCreditCap ?? null,
    dailyCreditCap: controls.dailyCreditCap ?? null,
    perCallCreditCeiling: controls.perCallCreditCeiling ?? null,
    exportCreditCap: controls.exportCreditCap ?? null,
  });
  credits.logger.info({ tenant_id: tenantId, controls }, 'spend controls set');
  return { controls };
}
