import { exportSuite } from '../src';
import { expectPassed } from './expect-passed';

it('ends every export ready and charged once, or failed and free, after its workers were killed and frozen', async () => {
  await expectPassed(exportSuite, { seed: 20_261_123, budget: 12 });
});
