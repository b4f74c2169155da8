import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { createPostBatches } from '../../credits/post-batches';
import * as ledger from '../../credits/post-charges';
import { orUnavailable } from '../database-error';
import { endLease } from './end-lease';
import { getBalanceHistory } from './get-balance-history';
import { getBalances } from './get-balances';
import { getSpendControls } from './get-spend-controls';
import { getUsage } from './get-usage';
import { listReceipts } from './list-receipts';
import { postCharges } from './post-charges';
import { previewCharge } from './preview-charge';
import { release } from './release';
import { reserve } from './reserve';
import { setSpendControls } from './set-spend-controls';
import { settle } from './settle';
import { takeLease } from './take-lease';
import { watchRecalls } from './watch-recalls';

export function bindCreditService(credits: Credits): BoundService {
  const postBatches = createPostBatches((batch) =>
    ledger.postCharges(credits, batch).catch((thrown: unknown) => {
      throw orUnavailable(thrown);
    }),
  );
  const handlers = {
    takeLease,
    postCharges,
    endLease,
    watchRecalls,
    reserve,
    settle,
    release,
    getBalances,
    getBalanceHistory,
    previewCharge,
    getUsage,
    listReceipts,
    getSpendControls,
    setSpendControls,
  };
  return bindService(account.CreditServiceService, withDeps({ ...credits, postBatches }, handlers), orUnavailable);
}
