import type { account } from '@market-state/contracts';
import { isServiceError, notFound } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import type { Queryable } from '@market-state/postgres';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import { codeFaults } from './second-factor';
import { checkSessionDigest, givenPasswordFaults, toProtoSessionGrant, callerOf, readNetwork, toProtoOpened } from './wire';
import * as sessions from '../../accounts/sessions';
import { deleteSession, deleteSessionOfId, deleteSessionsOfAccount } from '../../store/sessions';
import type { AccountsDeps } from '../../accounts/deps';
import { emailLengthFaults } from '../../accounts/email';
import * as accounts from '../../accounts/login';

export async function login(
  deps: AccountsDeps,
  { email, password, code, address }: account.LoginRequest,
  context: CallContext,
): Promise<account.LoginResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([
    ...emailLengthFaults('email', email),
    ...givenPasswordFaults('password', password),
    ...(code === undefined ? [] : codeFaults(code)),
    ...faults,
  ]);
  try {
    const opened = await accounts.login(deps, { email, password, code, caller: callerOf(network, context) });
    deps.logger.info({ account_id: opened.accountId, tenant_id: opened.tenantId, address: network }, 'logged in');
    return { opened: toProtoOpened(opened) };
  } catch (error) {
    if (isServiceError(error)) deps.logger.info({ reason: error.reason, address: network }, 'login refused');
    throw error;
  }
}

export async function logout(
  deps: { readonly pool: Queryable },
  { sessionDigest, everywhere }: account.LogoutRequest,
): Promise<account.LogoutResponse> {
  checkSessionDigest(sessionDigest);
  await (everywhere ? deleteSessionsOfAccount : deleteSession)(deps.pool, sessionDigest);
  return {};
}

export async function endSession(
  deps: Pick<AccountsDeps, 'pool' | 'logger'>,
  { tenantId, accountId, sessionId }: account.EndSessionRequest,
): Promise<account.EndSessionResponse> {
  refuseFaults([...idFaults('tenant_id', tenantId), ...optionalIdFaults('account_id', accountId), ...idFaults('session_id', sessionId)]);
  const isEnded = await deleteSessionOfId(deps.pool, { tenantId, accountId: accountId === '' ? null : accountId, sessionId });
  if (!isEnded) throw notFound('unknown_session', 'There is no open session with this id.');
  deps.logger.info({ tenant_id: tenantId, account_id: accountId, session_id: sessionId }, 'session ended');
  return {};
}

export async function verifySession(
  deps: { readonly pool: Queryable; readonly clock: () => number },
  { sessionDigest }: account.VerifySessionRequest,
): Promise<account.VerifySessionResponse> {
  checkSessionDigest(sessionDigest);
  const session = await sessions.verifySession(deps.pool, sessionDigest, deps.clock());
  return session === null ? {} : { grant: toProtoSessionGrant(session) };
}
