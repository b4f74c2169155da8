import { accountSuite } from '../src';
import { expectPassed } from './expect-passed';

test('logins and claims tell nothing, one token makes one account, and few guesses are worked on', async () => {
  expect((await expectPassed(accountSuite, { seed: 1, budget: 25 })).figures).toHaveLength(4);
});
