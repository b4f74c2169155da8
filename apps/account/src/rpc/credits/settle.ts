import type { account } from '@market-state/contracts';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Credits } from '../../credits';
import * as ledger from '../../credits/reservation';
import { artifactFaults } from './wire';

/** Charges what the work of a reservation came to, and gives back the rest. */
export async function settle(credits: Credits, request: account.SettleRequest): Promise<account.SettleResponse> {
  refuseFaults([...idFaults('operation_id', request.operationId), ...artifactFaults('artifact_ids', request.artifactIds)]);
  const observed = { market_state: request.observedMarketStateCredits, export: request.observedExportCredits };
  return { receiptId: await ledger.settle(credits, request.operationId, { credits: observed, artifactIds: request.artifactIds }) };
}
