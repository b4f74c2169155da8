import type { AccountDeps } from './account-deps';
import { claimAccount } from './claim-account';
import { confirmPasswordReset } from './confirm-password-reset';
import { createCheckoutSession } from './create-checkout-session';
import { createKey } from './create-key';
import { createSandboxKey } from './create-sandbox-key';
import { getMe } from './get-me';
import { getSpendControls } from './get-spend-controls';
import { listInvoices } from './list-invoices';
import { listKeys } from './list-keys';
import { logIn } from './log-in';
import { logOut } from './log-out';
import { openBillingPortal } from './open-billing-portal';
import { receiveBillingEvent } from './receive-billing-event';
import { requestPasswordReset } from './request-password-reset';
import { revokeKey } from './revoke-key';
import { setSpendControls } from './set-spend-controls';
import { updateKey } from './update-key';

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
    setSpendControls: setSpendControls(deps),
  };
}
