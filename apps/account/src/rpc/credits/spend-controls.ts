import type { account } from '@market-state/contracts';
import { invalidArgument } from '@market-state/errors';
import type { Credits } from '../../credits';
import type { Controls } from '../../credits/book';
import { getSpendControls, setSpendControls } from '../../credits/spend-controls';

export function createGetSpendControls(credits: Credits) {
  return async function getSpendControlsRpc({ tenantId }: account.GetSpendControlsRequest): Promise<account.GetSpendControlsResponse> {
    return { controls: toProtoControls(await getSpendControls(credits, tenantId)) };
  };
}

export function createSetSpendControls(credits: Credits) {
  return async function setSpendControlsRpc({ tenantId, controls }: account.SetSpendControlsRequest): Promise<account.SetSpendControlsResponse> {
    if (controls === undefined) throw invalidArgument([{ field: 'controls', message: 'must be given', type: 'required' }]);
    await setSpendControls(credits, tenantId, {
      monthlyCreditCap: controls.monthlyCreditCap ?? null,
      dailyCreditCap: controls.dailyCreditCap ?? null,
      perCallCreditCeiling: controls.perCallCreditCeiling ?? null,
      exportCreditCap: controls.exportCreditCap ?? null,
    });
    credits.logger.info({ tenant_id: tenantId, controls }, 'spend controls set');
    return { controls };
  };
}

function toProtoControls({ monthlyCreditCap, dailyCreditCap, perCallCreditCeiling, exportCreditCap }: Controls): account.SpendControls {
  return {
    ...(monthlyCreditCap === null ? {} : { monthlyCreditCap }),
    ...(dailyCreditCap === null ? {} : { dailyCreditCap }),
    ...(perCallCreditCeiling === null ? {} : { perCallCreditCeiling }),
    ...(exportCreditCap === null ? {} : { exportCreditCap }),
  };
}
