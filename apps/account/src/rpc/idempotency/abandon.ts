import type { account } from '@market-state/contracts';
import { refuseFaults } from '@market-state/request-checks';
import { abandonCall, type EndDeps } from '../../idempotency/end-call';
import { heldFaults } from './held-faults';

/** Forgets a call that was begun and came to nothing. */
export async function abandon(deps: EndDeps, request: account.AbandonRequest): Promise<account.AbandonResponse> {
  refuseFaults(heldFaults(request));
  await abandonCall(deps, request);
  return {};
}
