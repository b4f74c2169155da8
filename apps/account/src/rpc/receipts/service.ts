import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '../database-error';
import { listShownReceipts, type ShownReceiptDeps } from './list-shown-receipts';

export function bindShownReceiptService(deps: ShownReceiptDeps): BoundService {
  return bindService(account.ShownReceiptServiceService, withDeps(deps, { listShownReceipts }), orUnavailable);
}
