import type { account } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults, refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import * as logins from '../../oidc/oidc-login';
import { callerOf, readNetwork, toProtoOpened } from './wire';

const SECRET_LENGTH_MAX = 512;
const QUERY_LENGTH_MAX = 8_192;

export function getSignInOptions({ oidc }: Pick<AccountsDeps, 'oidc'>): Promise<account.GetSignInOptionsResponse> {
  return Promise.resolve({ oidcName: oidc?.name ?? '' });
}

export async function beginOidcLogin(
  deps: AccountsDeps,
  { address }: account.BeginOidcLoginRequest,
): Promise<account.BeginOidcLoginResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults(faults);
  return logged(deps, network, async () => {
    const { authorizationUrl, secret: loginSecret, expiresTsMs } = await logins.beginOidcLogin(deps, network);
    return { authorizationUrl, loginSecret, expiresTsMs };
  });
}

export async function finishOidcLogin(
  deps: AccountsDeps,
  { loginSecret: secret, query, address }: account.FinishOidcLoginRequest,
  context: CallContext,
): Promise<account.FinishOidcLoginResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([
    ...lengthFaults('login_secret', secret, 0, SECRET_LENGTH_MAX),
    ...lengthFaults('query', query, 0, QUERY_LENGTH_MAX),
    ...faults,
  ]);
  return logged(deps, network, async () => {
    const opened = await logins.finishOidcLogin(deps, { secret, query, caller: callerOf(network, context) });
    deps.logger.info({ account_id: opened.accountId, tenant_id: opened.tenantId, address: network }, 'logged in with the provider');
    return { opened: toProtoOpened(opened) };
  });
}

/** The cause is for the operator: the caller's answer is the same for several. */
async function logged<T>({ logger }: AccountsDeps, network: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isServiceError(error))
      logger.warn({ reason: error.reason, detail: error.detail, address: network }, 'login with the provider refused');
    throw error;
  }
}
