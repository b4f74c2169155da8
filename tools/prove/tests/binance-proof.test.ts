import { withRecordings } from '@market-state/testing';
import { binanceProof } from '../src';

async function follow(seed: number, runs: number): Promise<Map<string, string | number>> {
  const { failures, figures } = await binanceProof.run({ seed, budget: runs, say: () => undefined });
  expect(failures).toEqual([]);
  return new Map(figures);
}

test('two recordings with diffs dropped, doubled and reordered, and trades dropped: every book is the venue’s, what is missing is in a gap', async () => {
  const figures = await follow(1, 2);
  expect(Number(figures.get('books compared'))).toBeGreaterThan(500);
});

withRecordings('binance-usdm', () => {
  test('USD-M too, over its two sockets', async () => {
    expect((await follow(2, 3)).get('recordings')).toContain('BTCUSDT');
  });
});
