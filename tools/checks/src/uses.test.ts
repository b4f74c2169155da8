import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';
import { KNIP_ARGUMENTS } from './code-steps';

const root = workspaceRoot();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'market-state-uses-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the check prints of a lib with these files, with the workspace's configuration; empty when it passes. */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<string> {
  const lib = { name: '@market-state/planted', version: '0.1.0', main: './src/index.ts' };
  const all = {
    'package.json': JSON.stringify({ name: 'planted', private: true, workspaces: ['libs/*'] }),
    'libs/planted/package.json': JSON.stringify(lib),
    'libs/planted/src/index.test.ts': "import { used } from './index';\n\nused();\n",
    ...files,
  };
  await cp(join(root, 'knip.json'), join(folder, 'knip.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return promisify(execFile)(join(root, 'node_modules/.bin/knip'), KNIP_ARGUMENTS, { cwd: folder }).then(
    () => '',
    (error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
  );
}

const USED = 'export const used = (): number => 1;\n';

test('passes what is used', async () => {
  expect(await faultsOf({ 'libs/planted/src/index.ts': USED })).toBe('');
});

test('refuses what a lib offers and nothing imports', async () => {
  expect(await faultsOf({ 'libs/planted/src/index.ts': `${USED}export const spare = 2;\n` })).toMatch(/spare .*index\.ts/);
});

test('refuses a file that nothing imports', async () => {
  expect(await faultsOf({ 'libs/planted/src/index.ts': USED, 'libs/planted/src/spare.ts': 'export {};\n' })).toContain('src/spare.ts');
});
