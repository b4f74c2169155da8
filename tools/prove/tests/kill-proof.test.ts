import { killProof } from '../src';

jest.setTimeout(400_000);

it('ends with the rows, packets and chain of an unkilled run after each process was killed at a random moment', async () => {
  const seed = Number(process.env['KILL_SEED'] ?? 20_240_809);
  const said: string[] = [`KILL_SEED=${seed}`];
  const { failures } = await killProof.run({ seed, budget: 1, say: (line) => said.push(line) });
  expect(failures.length === 0 ? [] : [...said, ...failures]).toEqual([]);
});
