import { accountProof } from '../src';
import { expectProved } from './expect-proved';

test('logins and claims tell nothing, one token makes one account, and few guesses are worked on', async () => {
  expect((await expectProved(accountProof, { seed: 1, budget: 25 })).figures).toHaveLength(4);
});
