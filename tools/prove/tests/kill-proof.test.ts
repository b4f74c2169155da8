import { killProof } from '../src';
import { expectProved } from './expect-proved';

it('ends with the rows, packets and chain of an unkilled run after each process was killed at a random moment', async () => {
  await expectProved(killProof, { seed: 20_240_809, budget: 1 });
});
