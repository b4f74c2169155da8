import { account } from '@market-state/contracts';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import { orUnavailable } from '@market-state/postgres';
import type { Credits } from '../../credits/credits';
import { createPostBatches } from '../../credits/post-charges';
import * as ledger from '../../credits/post-charges';
import { endLease, takeLease, watchRecalls, release, settle, reserve } from './holds';
import { getBalanceHistory, getBalances, previewCharge } from './balances';
import { getSpendControls, setSpendControls } from './spend-controls';
import { getUsage, listReceipts } from './receipts';
import { postCharges } from './post-charges';

export function bindCreditService(credits: Credits): BoundService {
  const postBatches = createPostBatches((batch) =>
    ledger.postCharges(credits, batch).catch((thrown: unknown) => {
      throw orUnavailable('account')(thrown);
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
  return bindService(account.CreditServiceService, withDeps({ ...credits, postBatches }, handlers), orUnavailable('account'));
}
