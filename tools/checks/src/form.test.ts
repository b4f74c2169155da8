import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';

const root = workspaceRoot();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'market-state-form-'));
  await copyFile(join(root, 'biome.json'), join(folder, 'biome.json'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the check of form prints of files, with the workspace's configuration; empty when it passes. */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const args = ['check', '--error-on-warnings', '--vcs-enabled=false', '.'];
  return promisify(execFile)(join(root, 'node_modules/.bin/biome'), args, { cwd: folder }).then(
    () => '',
    (error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
  );
}

const ONE = "import { two } from './two';\n\nexport const one = (): number => two();\n";
const TWO = 'export const two = (): number => 2;\n';

test('passes files that have the form and no cycle', async () => {
  expect(await faultsOf({ 'one.ts': ONE, 'two.ts': TWO })).toBe('');
});

test('refuses a line that the formatter would write otherwise', async () => {
  expect(await faultsOf({ 'one.ts': 'export const one = "1"\n' })).toContain('Formatter would have printed');
});

test('refuses a cycle of two files', async () => {
  const back = "import { one } from './one';\n\nexport const two = (): number => one();\n";
  expect(await faultsOf({ 'one.ts': ONE, 'two.ts': back })).toContain('noImportCycles');
});

test('refuses a cycle that types alone make', async () => {
  const back = "import type { one } from './one';\n\nexport const two = (): ReturnType<typeof one> => 2;\n";
  expect(await faultsOf({ 'one.ts': ONE, 'two.ts': back })).toContain('noImportCycles');
});
