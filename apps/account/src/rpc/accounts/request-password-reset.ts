import type { account } from '@market-state/contracts';
import { refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import { emailLengthFaults } from '../../accounts/email';
import { requestReset } from '../../accounts/request-reset';
import { readNetwork } from './account-fields';

export async function requestPasswordReset(
  deps: AccountsDeps,
  { email, address }: account.RequestPasswordResetRequest,
): Promise<account.RequestPasswordResetResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([...emailLengthFaults('email', email), ...faults]);
  await requestReset(deps, email, network);
  return { mailToFolder: deps.mailToFolder };
}
