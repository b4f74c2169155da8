import { keySuite } from '../src';
import { expectPassed } from './expect-passed';

test('junk keys open nothing, and keys revoked under load stop opening', async () => {
  await expectPassed(keySuite, { seed: 1, budget: 5_000, inTime: true });
});
