import { withRecordings } from '@market-state/testing';
import { binanceSuite } from '../src';
import { expectPassed } from './expect-passed';

test('two recordings with diffs dropped, doubled and reordered, and trades dropped: every book is the venue’s, what is missing is in a gap', async () => {
  const { figures } = await expectPassed(binanceSuite, { seed: 1, budget: 2 });
  expect(Number(new Map(figures).get('books compared'))).toBeGreaterThan(500);
});

withRecordings('binance-usdm', () => {
  test('USD-M too, over its two sockets', async () => {
    const { figures } = await expectPassed(binanceSuite, { seed: 2, budget: 3 });
    expect(new Map(figures).get('recordings')).toContain('BTCUSDT');
  });
});
