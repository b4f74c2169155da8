import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument } from '@market-state/errors';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits/credits';
import type { Controls } from '../../credits/credit-ledger';
import * as ledger from '../../credits/spend-controls';

export async function setSpendControls(
  credits: Credits,
  { tenantId, controls }: account.SetSpendControlsRequest,
): Promise<account.SetSpendControlsResponse> {
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...(controls === undefined ? [{ field: 'controls', message: 'is required', type: 'required' }] : []),
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

export async function getSpendControls(
  credits: Credits,
  { tenantId }: account.GetSpendControlsRequest,
): Promise<account.GetSpendControlsResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  return { controls: toProtoControls(await ledger.getSpendControls(credits, tenantId)) };
}

function toProtoControls({ monthlyCreditCap, dailyCreditCap, perCallCreditCeiling, exportCreditCap }: Controls): account.SpendControls {
  return {
    ...(monthlyCreditCap === null ? {} : { monthlyCreditCap }),
    ...(dailyCreditCap === null ? {} : { dailyCreditCap }),
    ...(perCallCreditCeiling === null ? {} : { perCallCreditCeiling }),
    ...(exportCreditCap === null ? {} : { exportCreditCap }),
  };
}
