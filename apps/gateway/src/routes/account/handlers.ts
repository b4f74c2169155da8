import type { AccountDeps } from './account-deps';
import { accountPages } from './pages/get-account-pages';
import { claimAccount, confirmPasswordReset, logIn, logOut, requestPasswordReset } from './auth-routes';
import { createCheckoutSession, listInvoices, openBillingPortal, receiveBillingEvent } from './billing-routes';
import { getMe } from './get-me';
import { createKey, createSandboxKey, listKeys, revokeKey, updateKey } from './key-routes';
import { getSpendControls, setSpendControls } from './spend-controls';

/** Accounts, sessions, keys, limits on spend and billing, by operation id. */
export function accountHandlers(deps: AccountDeps) {
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
