import { accountAnswer } from '../../serving/answers/account-answer';
import { grantOf, type Handler } from '../../serving/answers/handler';
import type { AccountDeps } from './account-deps';
import { fromAccount } from './body-faults';
import { documentedWord } from '../../serving/openapi/described';

const providerNamed = documentedWord('BillingPortal', 'provider');

export function openBillingPortal({ billing, baseUrl }: AccountDeps): Handler<'openBillingPortal'> {
  return async (call) => {
    const { return_url: returnUrl = '' } = call.input.body ?? {};
    const { provider, portalUrl } = await fromAccount(billing.call.openPortal({ tenantId: grantOf(call).tenantId, returnUrl }));
    return accountAnswer(
      call,
      { provider: providerNamed(provider), portal_url: new URL(portalUrl, baseUrl()).href },
      'The billing portal is open.',
    );
  };
}
