import type { account } from '@market-state/contracts';
import type { WithoutMeta } from '../../serving/openapi/described';

export function showSpendControls(controls: account.SpendControls | undefined): WithoutMeta<'SpendControls'> {
  return {
    monthly_credit_cap: controls?.monthlyCreditCap ?? null,
    daily_credit_cap: controls?.dailyCreditCap ?? null,
    per_call_credit_ceiling: controls?.perCallCreditCeiling ?? null,
    export_credit_cap: controls?.exportCreditCap ?? null,
  };
}

export const SPEND_CONTROLS_SENTENCE = 'Limits in credits; null means no limit.';
