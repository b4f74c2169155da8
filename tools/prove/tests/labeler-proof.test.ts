import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { labelerProof } from '../src';

jest.setTimeout(600_000);

test("the labeler killed three times, once at an hour's checkpoint, leaves what an unbroken run leaves", async () => {
  execFileSync(process.execPath, [join(workspaceRoot(), 'tools', 'bootstrap.mjs'), 'prepare']);
  const said: string[] = [];
  const { failures, figures } = await labelerProof.run({ seed: 1, budget: 3, say: (line) => said.push(line) });
  expect(failures).toEqual([]);
  expect(figures[0]?.[1]).toMatch(/^3; /);
  expect(said.filter((line) => line.includes('checkpoint'))).toHaveLength(1);
});
