import { keyProof } from '../src';

test('junk keys open nothing, and keys revoked under load stop opening', async () => {
  const { failures, timing, figures } = await keyProof.run({ seed: 1, budget: 5_000, say: () => undefined });
  expect({ failures, timing, figures }).toMatchObject({ failures: [], timing: [] });
});
