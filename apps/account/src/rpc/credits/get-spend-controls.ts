import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import type { Controls } from '../../credits/book';
import * as ledger from '../../credits/spend-controls';

/** A tenant's spend controls. */
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
