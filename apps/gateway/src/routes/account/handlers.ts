import type { AccountDeps } from './account-deps';
import {
  claimAccount,
  confirmEmailChange,
  confirmPasswordReset,
  endSession,
  getMe,
  listAuditLog,
  logIn,
  logOut,
  requestEmailChange,
  requestPasswordReset,
} from './sessions';
import { beginSecondFactor, confirmSecondFactor, createRecoveryCodes, disableSecondFactor } from './second-factor';
import { beginOidcLogin, finishOidcLogin, getSignInOptions } from './oidc';
import { createCheckoutSession, listInvoices, listOrders, receiveBillingEvent, openBillingPortal } from './billing';
import { createKey, createSandboxKey, listKeys, revokeKey, updateKey } from './keys';
import {
  acceptInvitation,
  createInvitation,
  leaveTeam,
  listInvitations,
  listMembers,
  removeMember,
  updateMember,
  withdrawInvitation,
} from './team';
import { getSpendControls, setSpendControls } from './spend-controls';

export function accountHandlers(deps: AccountDeps) {
  return {
    claimAccount: claimAccount(deps),
    logIn: logIn(deps),
    getSignInOptions: getSignInOptions(deps),
    beginOidcLogin: beginOidcLogin(deps),
    finishOidcLogin: finishOidcLogin(deps),
    logOut: logOut(deps),
    endSession: endSession(deps),
    requestPasswordReset: requestPasswordReset(deps),
    confirmPasswordReset: confirmPasswordReset(deps),
    requestEmailChange: requestEmailChange(deps),
    confirmEmailChange: confirmEmailChange(deps),
    beginSecondFactor: beginSecondFactor(deps),
    confirmSecondFactor: confirmSecondFactor(deps),
    disableSecondFactor: disableSecondFactor(deps),
    createRecoveryCodes: createRecoveryCodes(deps),
    getMe: getMe(deps),
    listAuditLog: listAuditLog(deps),
    listMembers: listMembers(deps),
    updateMember: updateMember(deps),
    removeMember: removeMember(deps),
    leaveTeam: leaveTeam(deps),
    listInvitations: listInvitations(deps),
    createInvitation: createInvitation(deps),
    withdrawInvitation: withdrawInvitation(deps),
    acceptInvitation: acceptInvitation(deps),
    listKeys: listKeys(deps),
    createKey: createKey(deps),
    updateKey: updateKey(deps),
    revokeKey: revokeKey(deps),
    createSandboxKey: createSandboxKey(deps),
    createCheckoutSession: createCheckoutSession(deps),
    openBillingPortal: openBillingPortal(deps),
    listInvoices: listInvoices(deps),
    listOrders: listOrders(deps),
    receiveBillingEvent: receiveBillingEvent(deps),
    getSpendControls: getSpendControls(deps),
    setSpendControls: setSpendControls(deps),
  };
}
