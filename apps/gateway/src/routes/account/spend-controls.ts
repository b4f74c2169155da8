import type { account } from '@market-state/contracts';
import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf } from '../../serving/handlers/grant-of';
import type { Upstreams } from '../../clients/upstreams';
import type { Meter } from '../../serving/metering/meter';
import type { Handler } from '../../serving/handlers/handler';

function show(controls: account.SpendControls | undefined) {
  return {
    monthly_credit_cap: controls?.monthlyCreditCap ?? null,
    daily_credit_cap: controls?.dailyCreditCap ?? null,
    per_call_credit_ceiling: controls?.perCallCreditCeiling ?? null,
    export_credit_cap: controls?.exportCreditCap ?? null,
  };
}

const SENTENCE = 'Limits in credits; null means no limit.';

export function getSpendControls({ credits }: Pick<Upstreams, 'credits'>): Handler<'getSpendControls'> {
  return async (call) => {
    const { controls } = await credits.call.getSpendControls({ tenantId: grantOf(call).tenantId });
    return accountAnswer(call, show(controls), SENTENCE);
  };
}

/** Sets all four. Leases held here go back, so that the next call meets the new limits. */
export function setSpendControls({ credits }: Pick<Upstreams, 'credits'>, meter: Pick<Meter, 'giveBack'>): Handler<'setSpendControls'> {
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
    return accountAnswer(call, show(controls), SENTENCE);
  };
}
