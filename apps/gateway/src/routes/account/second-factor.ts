import { accountAnswer } from '../../serving/answers/account-answer';
import type { CallContext, Handler } from '../../serving/answers/handler';
import { type AccountDeps, fromAccount, sessionDigestOf } from './account-deps';

export function beginSecondFactor({ signIn }: AccountDeps): Handler<'beginSecondFactor'> {
  return async (call) => {
    const { secret, uri } = await fromAccount(
      signIn.call.beginSecondFactor({
        sessionDigest: sessionDigestOf(call),
        currentPassword: call.input.body.current_password,
        address: call.address(),
      }),
    );
    return accountAnswer(
      call,
      { secret, otpauth_uri: uri },
      'Add the secret to an authenticator app and confirm it with a code. It is not shown again.',
    );
  };
}

export function confirmSecondFactor({ people }: AccountDeps): Handler<'confirmSecondFactor'> {
  return async (call) => {
    const { recoveryCodes, endedSessionCount } = await fromAccount(
      people.call.confirmSecondFactor({ sessionDigest: sessionDigestOf(call), code: call.input.body.code, address: call.address() }),
    );
    return accountAnswer(
      call,
      { recovery_codes: recoveryCodes, ended_session_total: endedSessionCount },
      'Two-factor authentication is on. Store the recovery codes safely: they are not shown again.',
    );
  };
}

export function disableSecondFactor({ signIn }: AccountDeps): Handler<'disableSecondFactor'> {
  return async (call) => {
    await fromAccount(signIn.call.disableSecondFactor(changeOf(call, call.input.body)));
    return accountAnswer(call, { second_factor_enabled: false as const }, 'Two-factor authentication is off.');
  };
}

export function createRecoveryCodes({ signIn }: AccountDeps): Handler<'createRecoveryCodes'> {
  return async (call) => {
    const { recoveryCodes } = await fromAccount(signIn.call.createRecoveryCodes(changeOf(call, call.input.body)));
    return accountAnswer(
      call,
      { recovery_codes: recoveryCodes },
      'Store the recovery codes safely: they are not shown again. Earlier ones no longer work.',
    );
  };
}

function changeOf(
  call: CallContext,
  { current_password: currentPassword, code }: { readonly current_password: string; readonly code: string },
) {
  return { sessionDigest: sessionDigestOf(call), currentPassword, code, address: call.address() };
}
