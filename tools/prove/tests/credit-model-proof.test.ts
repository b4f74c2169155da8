import { creditModelProof } from '../src';

it('keeps the ledger equal to the model over random grants, leases, batches, reservations, caps and times', async () => {
  const seed = Number(process.env['CREDIT_MODEL_SEED'] ?? 20_270_115);
  const { failures } = await creditModelProof.run({ seed, budget: 2, say: () => undefined });
  expect(failures).toEqual([]);
});
