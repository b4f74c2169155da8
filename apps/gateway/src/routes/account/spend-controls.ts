import type { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import type { WithoutMeta } from '../../serving/openapi/document';

function showSpendControls(controls: account.SpendControls | undefined): WithoutMeta<'SpendControls'> {
  return {
    monthly_credit_cap: controls?.monthlyCreditCap ?? null,
    daily_credit_cap: controls?.dailyCreditCap ?? null,
    per_call_credit_ceiling: controls?.perCallCreditCeiling ?? null,
    export_credit_cap: controls?.exportCreditCap ?? null,
  };
}

const SPEND_CONTROLS_SENTENCE = 'Limits in credits; null means no limit.';

export function getSpendControls({ credits }: AccountDeps): Handler<'getSpendControls'> {
  return async (call) => {
    const { controls } = await credits.call.getSpendControls({ tenantId: grantOf(call).tenantId });
    return accountAnswer(call, showSpendControls(controls), SPEND_CONTROLS_SENTENCE);
  };
}

/** Sets all four limits and returns this gateway's leases, so that the next call meets the new limits. */
export function setSpendControls({ credits, meter }: AccountDeps): Handler<'setSpendControls'> {
  return async (call) => {
    const { tenantId } = grantOf(call);
    const sent = call.input.body;
    const wanted: account.SpendControls = {
      monthlyCreditCap: sent.monthly_credit_cap ?? undefined,
      dailyCreditCap: sent.daily_credit_cap ?? undefined,
      perCallCreditCeiling: sent.per_call_credit_ceiling ?? undefined,
      exportCreditCap: sent.export_credit_cap ?? undefined,
    };
    const { controls } = await credits.call.setSpendControls({ tenantId, controls: wanted });
    meter.giveBack(tenantId);
    return accountAnswer(call, showSpendControls(controls), SPEND_CONTROLS_SENTENCE);
  };
}
