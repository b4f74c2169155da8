import { mtlsSuite } from '../src';
import { expectPassed } from './expect-passed';

test('calls with a wrong suite or none reach no handler, and certificates that change under load fail no call', async () => {
  expect((await expectPassed(mtlsSuite, { seed: 1, budget: 3 })).figures).toHaveLength(3);
});
