import { creditModelSuite } from '../src';
import { expectPassed } from './expect-passed';

it('keeps the ledger equal to the model over random grants, leases, batches, reservations, caps and times', async () => {
  await expectPassed(creditModelSuite, { seed: 20_270_115, budget: 2 });
});
