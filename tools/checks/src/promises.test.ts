import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';
import { PROMISES_ARGUMENTS } from './code-steps';

const root = workspaceRoot();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'market-state-promises-'));
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  await copyFile(join(root, 'tsconfig.base.json'), join(folder, 'tsconfig.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** What the check prints of a source, with the workspace's configuration; empty when it passes. */
async function faultsOf(source: string): Promise<string> {
  await writeFile(join(folder, 'planted.ts'), source);
  return promisify(execFile)(join(root, 'node_modules/.bin/oxlint'), [...PROMISES_ARGUMENTS, 'planted.ts'], { cwd: folder }).then(
    () => '',
    (error: { stderr: string; stdout: string }) => error.stdout + error.stderr,
  );
}

const WORK = 'const work = async (): Promise<number> => 1;\n';

test.each([
  ['a call', 'work();'],
  ['one whose failure nobody hears', 'work().then((one) => one + 1);'],
  ['many at once', '[1, 2].map(() => work());'],
])('refuses %s that is not waited for', async (_what, statement) => {
  expect(await faultsOf(`${WORK}${statement}\n`)).toContain('no-floating-promises');
});

test.each([
  ['a call', 'await work();'],
  ['one whose failure is heard', 'work().then(console.log, console.error);'],
  ['one of which it is said that nobody waits', 'void work();'],
])('passes %s that is waited for', async (_what, statement) => {
  expect(await faultsOf(`${WORK}${statement}\nexport {};\n`)).toBe('');
});
