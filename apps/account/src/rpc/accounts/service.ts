import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps, type UnaryHandler } from '@market-state/grpc';
import { createConcurrencyLimit } from '@market-state/lifecycle';
import { orUnavailable } from '@market-state/postgres';
import type { ClaimDeps } from '../../accounts/claim';
import { emailDigest } from '../../accounts/email';
import { isKnownAddress, networkOf } from '../../accounts/network';
import { findReset } from '../../accounts/password-reset';
import { claim, getMe, getTenantStanding } from './accounts';
import { findSessionByDigest } from '../../store/sessions';
import { confirmEmailChange, requestEmailChange } from './email-change';
import { listAccountEvents, recordDestinationEvent } from './events';
import {
  acceptInvitation,
  changeMemberRole,
  inviteMember,
  leaveTenant,
  listInvitations,
  listMembers,
  removeMember,
  withdrawInvitation,
} from './members';
import { beginOidcLogin, finishOidcLogin, getSignInOptions } from './oidc';
import { confirmPasswordReset, requestPasswordReset } from './password-reset';
import { beginSecondFactor, confirmSecondFactor, createRecoveryCodes, disableSecondFactor } from './second-factor';
import { endSession, login, logout, verifySession } from './sessions';
import { findInvitationByToken } from '../../members/invitations';
import { openSlots, PASSWORD_WORK, passwordWorkFull } from '../../accounts/password-work';

/** Maximum calls admitted: those hashing plus those waiting for it. */
const INSIDE_MAX = PASSWORD_WORK.atOnceMax + PASSWORD_WORK.waitingMax;

/** Concurrent and waiting checks for known callers; together a gateway's maximum of calls in flight. */
const LOOK_UPS_MAX = 4;
const WAITING_MAX = 200;

/** Reserved from a caller's deadline for the refusal. */
const WAY_BACK_MS = 500;

const WAIT_MS = 2_000;

/**
 * Handlers that may hash a password share a limit on admitted calls. They refuse calls over it, or shortly before a caller's deadline.
 * @throws ServiceError (from the handlers) `password_work_full`
 */
export function createSignInLimit(insideMax = INSIDE_MAX) {
  const lookUp = createConcurrencyLimit(LOOK_UPS_MAX, {
    waitingMax: WAITING_MAX,
    waitMsMax: WAIT_MS,
    refusal: () => passwordWorkFull(WAIT_MS),
  });
  let inside = 0;

  /** @param isKnown called only if just reserved slots are left */
  return function limited<Request, Response>(
    handler: UnaryHandler<Request, Response>,
    isKnown: (request: Request) => Promise<boolean> = () => Promise.resolve(false),
  ): UnaryHandler<Request, Response> {
    return async (request, context) => {
      // Checked before a slot is taken, so that a flood of unknown callers cannot occupy the reserved ones.
      const mayEnter = inside < openSlots(insideMax) || (await lookUp(() => isKnown(request)));
      if (!mayEnter || inside >= insideMax) throw passwordWorkFull(WAIT_MS);
      inside += 1;
      const answer = handler(request, context).finally(() => (inside -= 1));
      return context.deadlineMs === undefined ? answer : answerBefore(context.deadlineMs - WAY_BACK_MS, answer);
    };
  };
}

function answerBefore<T>(atMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(passwordWorkFull(WAIT_MS)), atMs - Date.now());
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export function bindAccountService(deps: ClaimDeps): BoundService {
  const limited = createSignInLimit();
  const hasSession = async ({ sessionDigest }: { readonly sessionDigest: Uint8Array }) =>
    (await findSessionByDigest(deps.pool, sessionDigest)) !== null;
  const hashing = withDeps(deps, {
    claim,
    login,
    confirmPasswordReset,
    requestEmailChange,
    beginSecondFactor,
    disableSecondFactor,
    createRecoveryCodes,
    acceptInvitation,
  });
  const handlers = {
    ...withDeps(deps, {
      getSignInOptions,
      beginOidcLogin,
      finishOidcLogin,
      logout,
      endSession,
      verifySession,
      requestPasswordReset,
      confirmEmailChange,
      confirmSecondFactor,
      getMe,
      getTenantStanding,
      listAccountEvents,
      recordDestinationEvent,
      listMembers,
      changeMemberRole,
      removeMember,
      leaveTenant,
      inviteMember,
      listInvitations,
      withdrawInvitation,
    }),
    claim: limited(hashing.claim),
    login: limited(hashing.login, ({ email, address }) => {
      const network = networkOf(address);
      return network === null ? Promise.resolve(false) : isKnownAddress(deps.pool, emailDigest(email), network, deps.clock());
    }),
    requestEmailChange: limited(hashing.requestEmailChange, hasSession),
    beginSecondFactor: limited(hashing.beginSecondFactor, hasSession),
    disableSecondFactor: limited(hashing.disableSecondFactor, hasSession),
    createRecoveryCodes: limited(hashing.createRecoveryCodes, hasSession),
    acceptInvitation: limited(
      hashing.acceptInvitation,
      async ({ invitationToken }) => (await findInvitationByToken(deps.pool, invitationToken, deps.clock())) !== null,
    ),
    confirmPasswordReset: limited(
      hashing.confirmPasswordReset,
      async ({ resetToken }) => (await findReset(deps.pool, resetToken, deps.clock())) !== null,
    ),
  };
  return bindService(account.AccountServiceService, handlers, orUnavailable('account'));
}
