import { archiveProof } from '../src';

jest.setTimeout(400_000);

it('leaves every row once, and the files of an unkilled run, after the recorder was killed at random moments', async () => {
  const seed = Number(process.env['KILL_SEED'] ?? 20_260_106);
  const said: string[] = [`KILL_SEED=${seed}`];
  const { failures } = await archiveProof.run({ seed, budget: 4, say: (line) => said.push(line) });
  expect(failures.length === 0 ? [] : [...said, ...failures]).toEqual([]);
});
