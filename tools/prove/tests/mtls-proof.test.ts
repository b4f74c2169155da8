import { mtlsProof } from '../src';

test('calls with a wrong proof or none reach no handler, and certificates that change under load fail no call', async () => {
  const { failures, figures } = await mtlsProof.run({ seed: 1, budget: 3, say: () => undefined });
  expect(failures).toEqual([]);
  expect(figures).toHaveLength(3);
});
