import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPacketRow } from '@market-state/labeler';
import { createWorkplace, FEW_ROWS, firstRows } from './run';

const place = createWorkplace();
const policy = join(place.folder, 'policy');

/** A policy with a lower watch threshold of flow. */
beforeAll(async () => {
  place.write('rows.ndjson', (await firstRows(4 * FEW_ROWS)).join('\n'));
  cpSync(join(import.meta.dirname, '../../../libs/domain/labeler/policy'), policy, { recursive: true });
  const numbers = JSON.parse(readFileSync(join(policy, 'numbers.json'), 'utf8')) as { thresholds: { flow: { watch: number } } };
  numbers.thresholds.flow.watch = 0.15;
  writeFileSync(join(policy, 'numbers.json'), JSON.stringify(numbers));
});
afterAll(() => place.remove());

async function statesUnder(...args: readonly string[]): Promise<readonly string[]> {
  return (await place.run('label', 'rows.ndjson', ...args)).lines.map((line) => readPacketRow(JSON.parse(line)).packet.state);
}

test('names the value that differs, every window that reads differently with what moved, and totals that add up', async () => {
  const { exitCode, lines } = await place.run('diff-policy', 'rows.ndjson', '--a', 'default', '--b', 'policy', '--output', 'ndjson');
  expect(exitCode).toBe(1);
  const read = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(read[0]).toEqual({
    schema: 'market_state_policy_diff.v1',
    kind: 'policy_value',
    file: 'numbers.json',
    path: '/thresholds/flow/watch',
    a: 0.25,
    b: 0.15,
  });
  const windows = read.filter(({ kind }) => kind === 'window') as {
    because: object[];
    fields: { field: string; a: string; b: string }[];
  }[];
  for (const { because } of windows) expect(because).toContainEqual({ kind: 'threshold', name: 'flow_watch', a: 0.25, b: 0.15 });

  const [statesA, statesB] = [await statesUnder(), await statesUnder('--policy', 'policy')];
  const stateChanges = statesA.filter((state, index) => state !== statesB[index]).length;
  expect(stateChanges).toBeGreaterThan(0);
  expect(windows.filter(({ fields }) => fields.some(({ field }) => field === 'state'))).toHaveLength(stateChanges);
  expect(read.at(-1)).toMatchObject({
    kind: 'totals',
    compared: statesA.length,
    changed: windows.length,
    changed_by_field: { state: stateChanges },
    only_a: 0,
    only_b: 0,
  });
  const { transitions_a: transitions } = read.at(-1) as { transitions_a: Record<string, Record<string, number>> };
  expect(
    Object.values(transitions)
      .flatMap((row) => Object.values(row))
      .reduce((sum, total) => sum + total, 0),
  ).toBe(statesA.length - 1);
});

test('the table shows the same differences in readable form', async () => {
  const { exitCode, stdout } = await place.run('diff-policy', 'rows.ndjson', '--a', 'default', '--b', 'policy');
  expect(exitCode).toBe(1);
  expect(stdout).toContain('numbers.json  /thresholds/flow/watch  0.25  0.15');
  expect(stdout).toMatch(/ {2}because +threshold flow_watch 0\.25 → 0\.15/);
  expect(stdout).toMatch(/windows compared: \d+ changed, \d+\.\d %/);
  expect(stdout).toContain('Transitions under b');
});

test('a policy in a single file equals its folder; an error is reported with its line', async () => {
  const names = readdirSync(policy).filter((name) => name.endsWith('.json'));
  const files = Object.fromEntries(
    names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(policy, name), 'utf8')) as object]),
  );
  place.write('policy.json', JSON.stringify(files, null, 2));
  const { exitCode, stdout } = await place.run('diff-policy', 'rows.ndjson', '--a', 'policy', '--b', 'policy.json');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('The two policies are identical.');
  place.write('broken.json', JSON.stringify({ ...files, numbers: undefined }, null, 2));
  const refused = await place.run('diff-policy', 'rows.ndjson', '--a', 'default', '--b', 'broken.json');
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('broken.json is not a valid policy:');
  expect(refused.stderr).toContain('broken.json:1: the file lacks "numbers"');
});

test('a policy against itself changes nothing and ends with 0', async () => {
  const { exitCode, stdout } = await place.run('diff-policy', 'rows.ndjson', '--a', 'default', '--b', 'default');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('The two policies are identical.');
  expect(stdout).toContain(': 0 changed, 0.0 %');
});

test('errors of both policies are reported together', async () => {
  const { exitCode, stderr } = await place.run('diff-policy', 'rows.ndjson', '--a', 'nowhere', '--b', 'neither');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('nowhere: no such folder');
  expect(stderr).toContain('neither: no such folder');
});
