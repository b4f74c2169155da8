import type { account } from '@market-state/contracts';
import type { AccountsDeps } from '../../accounts/deps';
import { emailLengthFaults } from '../../accounts/email';
import { requestReset } from '../../accounts/request-reset';
import { refuseFaults } from '../fields';
import { readNetwork } from './account-fields';

export function createRequestPasswordReset(deps: AccountsDeps) {
  return async function requestPasswordResetRpc({
    email,
    address,
  }: account.RequestPasswordResetRequest): Promise<account.RequestPasswordResetResponse> {
    const { network, faults } = readNetwork(address);
    refuseFaults([...emailLengthFaults('email', email), ...faults]);
    await requestReset(deps, email, network);
    return {};
  };
}
