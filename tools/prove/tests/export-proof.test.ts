import { exportProof } from '../src';
import { expectProved } from './expect-proved';

it('ends every export ready and charged once, or failed and free, after its workers were killed and frozen', async () => {
  await expectProved(exportProof, { seed: 20_261_123, budget: 12 });
});
