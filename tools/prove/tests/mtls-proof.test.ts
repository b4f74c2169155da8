import { mtlsProof } from '../src';
import { expectProved } from './expect-proved';

test('calls with a wrong proof or none reach no handler, and certificates that change under load fail no call', async () => {
  expect((await expectProved(mtlsProof, { seed: 1, budget: 3 })).figures).toHaveLength(3);
});
