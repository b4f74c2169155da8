import { keyProof } from '../src';
import { expectProved } from './expect-proved';

test('junk keys open nothing, and keys revoked under load stop opening', async () => {
  await expectProved(keyProof, { seed: 1, budget: 5_000, inTime: true });
});
