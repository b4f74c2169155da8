import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { accountPages } from './pages/get-account-pages';
import type { Handler } from '../../serving/handlers/handler';
import { claimAccount, confirmPasswordReset, logIn, logOut, requestPasswordReset } from './auth-routes';
import { createCheckoutSession, listInvoices, openBillingPortal, receiveBillingEvent } from './billing-routes';
import { getMe } from './get-me';
import { createKey, createSandboxKey, listKeys, revokeKey, updateKey } from './key-routes';
import type { SessionCookie } from './session-cookie';

export interface AccountRouteDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Those of its calls that hash a password: a crowd of them must not keep the others waiting. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly cookie: SessionCookie;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** The handlers of accounts, sessions, keys and billing, by operation. */
export function accountRoutes(deps: AccountRouteDeps): Readonly<Record<string, Handler>> {
  return {
    claimAccount: claimAccount(deps),
    logIn: logIn(deps),
    logOut: logOut(deps),
    requestPasswordReset: requestPasswordReset(deps),
    confirmPasswordReset: confirmPasswordReset(deps),
    getMe: getMe(deps),
    listKeys: listKeys(deps),
    createKey: createKey(deps),
    updateKey: updateKey(deps),
    revokeKey: revokeKey(deps),
    createSandboxKey: createSandboxKey(deps),
    createCheckoutSession: createCheckoutSession(deps),
    openBillingPortal: openBillingPortal(deps),
    listInvoices: listInvoices(deps),
    receiveBillingEvent: receiveBillingEvent(deps),
    ...accountPages(),
  };
}
