import type { account } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { lengthFaults, refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import * as factors from '../../accounts/second-factor-change';
import { callerOf, checkSessionDigest, readNetwork } from './wire';

const PASSWORD_LENGTH_MAX = 256;
const CODE_LENGTH_MIN = 6;
const CODE_LENGTH_MAX = 64;

export function codeFaults(code: string): Fault[] {
  return lengthFaults('code', code, CODE_LENGTH_MIN, CODE_LENGTH_MAX);
}

export async function beginSecondFactor(
  deps: AccountsDeps,
  { sessionDigest, currentPassword, address }: account.BeginSecondFactorRequest,
  context: CallContext,
): Promise<account.BeginSecondFactorResponse> {
  checkSessionDigest(sessionDigest);
  const { network, faults } = readNetwork(address);
  refuseFaults([...lengthFaults('current_password', currentPassword, 1, PASSWORD_LENGTH_MAX), ...faults]);
  return factors.beginSecondFactor(deps, { sessionDigest, password: currentPassword, caller: callerOf(network, context) });
}

export async function confirmSecondFactor(
  deps: AccountsDeps,
  { sessionDigest, code, address }: account.ConfirmSecondFactorRequest,
  context: CallContext,
): Promise<account.ConfirmSecondFactorResponse> {
  checkSessionDigest(sessionDigest);
  const { network, faults } = readNetwork(address);
  refuseFaults([...codeFaults(code), ...faults]);
  const enabled = await factors.confirmSecondFactor(deps, { sessionDigest, code, caller: callerOf(network, context) });
  const { accountId, recoveryCodes, endedSessions } = enabled;
  deps.logger.info({ account_id: accountId, address: network, ended_sessions: endedSessions }, 'second factor enabled');
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

function readOrder({ sessionDigest, currentPassword, code, address }: account.DisableSecondFactorRequest, context: CallContext) {
  checkSessionDigest(sessionDigest);
  const { network, faults } = readNetwork(address);
  refuseFaults([...lengthFaults('current_password', currentPassword, 1, PASSWORD_LENGTH_MAX), ...codeFaults(code), ...faults]);
  return { sessionDigest, password: currentPassword, code, caller: callerOf(network, context) };
}
