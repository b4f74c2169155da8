import { hyperliquidSuite } from '../src';
import { expectPassed } from './expect-passed';

it('three seeds of misbehaviour: the final book is the true one and everything that is missing is in a gap', async () => {
  const { figures } = await expectPassed(hyperliquidSuite, { seed: 20_260_105, budget: 3, messages: 3_000 });
  const figureOf = (name: string): number => Number(new Map(figures).get(name));
  expect(figureOf('messages')).toBeGreaterThanOrEqual(9_000);
  expect(figureOf('faults')).toBeGreaterThan(5);
  expect(figureOf('gaps told')).toBeGreaterThan(0);
});
