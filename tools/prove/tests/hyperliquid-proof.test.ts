import { hyperliquidProof } from '../src';

it('three seeds of misbehaviour: the final book is the true one and everything that is missing is in a gap', async () => {
  const seed = Number(process.env['HYPERLIQUID_SEED'] ?? 20_260_105);
  const said: string[] = [`HYPERLIQUID_SEED=${seed}`];
  const { failures, figures } = await hyperliquidProof.run({ seed, budget: 3, messages: 3_000, say: (line) => said.push(line) });
  expect(failures.length === 0 ? [] : [...said, ...failures]).toEqual([]);
  const figureOf = (name: string): number => Number(figures.find(([each]) => each === name)?.[1]);
  expect(figureOf('messages')).toBeGreaterThanOrEqual(9_000);
  expect(figureOf('faults')).toBeGreaterThan(5);
  expect(figureOf('gaps told')).toBeGreaterThan(0);
});
