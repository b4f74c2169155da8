import { account } from '@market-state/contracts';
import { bindService, type BoundService, type CallContext } from '@market-state/grpc';
import type { Credits } from '../../credits';
import { whileAvailable } from '../while-available';
import { createEndLease, createTakeLease, createWatchRecalls } from './leases';
import { createPostCharges } from './post-charges';
import { createGetBalances, createGetUsage, createListReceipts } from './reads';
import { createRelease, createReserve, createSettle } from './reservations';
import { createGetSpendControls, createSetSpendControls } from './spend-controls';

export function bindCreditService(credits: Credits): BoundService {
  return bindService(account.CreditServiceService, {
    takeLease: inContext(createTakeLease(credits)),
    postCharges: createPostCharges(credits),
    endLease: whileAvailable(createEndLease(credits)),
    watchRecalls: createWatchRecalls(credits),
    reserve: inContext(createReserve(credits)),
    settle: whileAvailable(createSettle(credits)),
    release: whileAvailable(createRelease(credits)),
    getBalances: whileAvailable(createGetBalances(credits)),
    getUsage: whileAvailable(createGetUsage(credits)),
    listReceipts: whileAvailable(createListReceipts(credits)),
    getSpendControls: whileAvailable(createGetSpendControls(credits)),
    setSpendControls: whileAvailable(createSetSpendControls(credits)),
  });
}

function inContext<Request, Response>(handler: (request: Request, context: CallContext) => Promise<Response>) {
  return (request: Request, context: CallContext): Promise<Response> =>
    whileAvailable((given: Request) => handler(given, context))(request);
}
