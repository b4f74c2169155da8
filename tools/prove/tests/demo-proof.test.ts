import { demoProof } from '../src';
import { expectProved } from './expect-proved';

it('in one round of the simulated market every state, event class and severity occurs', async () => {
  const { figures } = await expectProved(demoProof, { seed: 1, budget: 20 });
  expect(new Map(figures).get('packets')).toBe(119);
});
