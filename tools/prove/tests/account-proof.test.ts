import { accountProof } from '../src';

test('logins and claims tell nothing, one token makes one account, and few guesses are worked on', async () => {
  const { failures, figures } = await accountProof.run({ seed: 1, budget: 25, say: () => undefined });
  expect(failures).toEqual([]);
  expect(figures).toHaveLength(4);
});
