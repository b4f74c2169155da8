import { creditModelProof } from '../src';
import { expectProved } from './expect-proved';

it('keeps the ledger equal to the model over random grants, leases, batches, reservations, caps and times', async () => {
  await expectProved(creditModelProof, { seed: 20_270_115, budget: 2 });
});
