import { findChromium } from '@market-state/testing';
import { recomputeSuite } from '../src';
import { expectPassed } from './expect-passed';

/** Counted as skipped where there is no Chromium on the machine. */
test.skipIf(findChromium() === null)('twenty packets are recomputed in Chromium, and twenty changes are found', async () => {
  const { figures } = await expectPassed(recomputeSuite, { seed: 5, budget: 20 });
  expect(figures.filter(([name]) => name.endsWith('packets equal')).map(([, equal]) => equal)).toEqual([10, 10]);
});
