import { binanceProof } from '../src';

jest.setTimeout(300_000);

test('two recordings with diffs dropped, doubled and reordered: every book is the venue’s, every gap is told', async () => {
  const { failures, figures } = await binanceProof.run({ seed: 1, budget: 2, say: () => undefined });
  expect(failures).toEqual([]);
  expect(Number(figures.find(([name]) => name === 'books compared')?.[1])).toBeGreaterThan(500);
});
