import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import * as factors from '../../accounts/second-factor-change';
import { givenPasswordFaults, readSessionCaller } from './wire';

const CODE_LENGTH_MIN = 6;
const CODE_LENGTH_MAX = 64;

export function codeFaults(code: string): Fault[] {
  return lengthFaults('code', code, CODE_LENGTH_MIN, CODE_LENGTH_MAX);
}

export async function beginSecondFactor(
  deps: AccountsDeps,
  request: account.BeginSecondFactorRequest,
  context: CallContext,
): Promise<account.BeginSecondFactorResponse> {
  const { sessionDigest, currentPassword: password } = request;
  const caller = readSessionCaller(request, context, givenPasswordFaults('current_password', password));
  return factors.beginSecondFactor(deps, { sessionDigest, password, caller });
}

export async function confirmSecondFactor(
  deps: AccountsDeps,
  request: account.ConfirmSecondFactorRequest,
  context: CallContext,
): Promise<account.ConfirmSecondFactorResponse> {
  const { sessionDigest, code } = request;
  const caller = readSessionCaller(request, context, codeFaults(code));
  const { accountId, recoveryCodes, endedSessions } = await factors.confirmSecondFactor(deps, { sessionDigest, code, caller });
  deps.logger.info({ account_id: accountId, address: caller.network, ended_sessions: endedSessions }, 'second factor enabled');
  return { recoveryCodes: [...recoveryCodes], endedSessionCount: endedSessions };
}

export async function disableSecondFactor(
  deps: AccountsDeps,
  request: account.DisableSecondFactorRequest,
  context: CallContext,
): Promise<account.DisableSecondFactorResponse> {
  const order = readOrder(request, context);
  const { accountId } = await factors.disableSecondFactor(deps, order);
  deps.logger.info({ account_id: accountId, address: order.caller.network }, 'second factor disabled');
  return {};
}

export async function createRecoveryCodes(
  deps: AccountsDeps,
  request: account.CreateRecoveryCodesRequest,
  context: CallContext,
): Promise<account.CreateRecoveryCodesResponse> {
  const order = readOrder(request, context);
  const { accountId, recoveryCodes } = await factors.replaceRecoveryCodes(deps, order);
  deps.logger.info({ account_id: accountId, address: order.caller.network }, 'recovery codes replaced');
  return { recoveryCodes: [...recoveryCodes] };
}

function readOrder(request: account.DisableSecondFactorRequest, context: CallContext) {
  const { sessionDigest, currentPassword: password, code } = request;
  const faults = [...givenPasswordFaults('current_password', password), ...codeFaults(code)];
  return { sessionDigest, password, code, caller: readSessionCaller(request, context, faults) };
}
