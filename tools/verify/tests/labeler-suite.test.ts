import { labelerSuite } from '../src';
import { expectPassed } from './expect-passed';

test("the labeler killed three times, once at an hour's checkpoint, leaves what an unbroken run leaves", async () => {
  const { figures, said } = await expectPassed(labelerSuite, { seed: 1, budget: 3 });
  expect(figures[0]?.[1]).toMatch(/^3; /);
  expect(said.filter((line) => line.includes('checkpoint'))).toHaveLength(1);
});
