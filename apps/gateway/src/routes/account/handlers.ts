import type { account } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { accountPages } from './pages/get-account-pages';
import type { Meter } from '../../serving/metering/meter';
import { claimAccount, confirmPasswordReset, logIn, logOut, requestPasswordReset } from './auth-routes';
import { createCheckoutSession, listInvoices, openBillingPortal, receiveBillingEvent } from './billing-routes';
import { getMe } from './get-me';
import { createKey, createSandboxKey, listKeys, revokeKey, updateKey } from './key-routes';
import { getSpendControls, setSpendControls } from './spend-controls';
import type { SessionCookie } from './session-cookie';

export interface AccountRouteDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly people: GrpcClient<account.AccountServiceService>;
  /** Those of its calls that hash a password: a crowd of them must not keep the others waiting. */
  readonly signIn: GrpcClient<account.AccountServiceService>;
  readonly billing: GrpcClient<account.BillingServiceService>;
  readonly credits: GrpcClient<account.CreditServiceService>;
  readonly meter: Pick<Meter, 'giveBack'>;
  readonly cookie: SessionCookie;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** Accounts, sessions, keys, limits on spend and billing, by operation id. */
export function accountHandlers(deps: AccountRouteDeps) {
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
    getSpendControls: getSpendControls(deps),
    setSpendControls: setSpendControls(deps, deps.meter),
    ...accountPages(),
  };
}
