import { killSuite } from '../src';
import { expectPassed } from './expect-passed';

it('ends with the rows, packets and chain of an unkilled run after each process was killed at a random moment', async () => {
  await expectPassed(killSuite, { seed: 20_240_809, budget: 1 });
});
