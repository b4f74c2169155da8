import type { account } from '@market-state/contracts';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults, refuseFaults } from '@market-state/request-checks';
import { type ClaimDeps } from '../../accounts/claim';
import { emailFaults } from '../../accounts/email';
import { passwordFaults } from '../../accounts/password-rules';
import { callerOf, readNetwork, toProtoOpened } from './wire';
import * as accounts from '../../accounts/claim';

const SECRET_LENGTH_MAX = 512;

export async function claim(deps: ClaimDeps, request: account.ClaimRequest, context: CallContext): Promise<account.ClaimResponse> {
  const { email, password, apiKey, claimToken } = request;
  const { network, faults } = readNetwork(request.address);
  refuseFaults([
    ...emailFaults('email', email),
    ...passwordFaults('password', password, email),
    ...lengthFaults('api_key', apiKey, 0, SECRET_LENGTH_MAX),
    ...lengthFaults('claim_token', claimToken, 0, SECRET_LENGTH_MAX),
    ...faults,
  ]);
  const opened = await accounts.claim(deps, { email, password, apiKey, claimToken, caller: callerOf(network, context) });
  if (opened === null) {
    deps.logger.info({ address: network }, 'claim waits for its email');
    return { verificationSent: true, mailToFolder: deps.mailToFolder };
  }
  deps.logger.info({ account_id: opened.accountId, tenant_id: opened.tenantId }, 'account claimed');
  return { opened: toProtoOpened(opened), verificationSent: false, mailToFolder: deps.mailToFolder };
}
