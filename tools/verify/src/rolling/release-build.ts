import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot, appFolderOf, databaseServices } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { openFolder } from '@market-state/testing';
import { firstOf, type Report } from '../harness';

/** The release's own tests of its whole system through the public interface. */
const TESTS = 'tools/testing/tests/e2e';
const RUN_MS_MAX = 1_800_000;
const REPORT_BYTES_MAX = 256 * 1024 * 1024;
const SHOWN_MAX = 8;
/** Parts of a service's database taken from the newer release: migrations, and the application role's privileges. */
const NEWER = ['migrations', 'privileges.json'];

interface TestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[] }[];
}

/** True if this workspace has a migration that the release lacks; otherwise its own tests cover everything. */
export function hasNewerMigrations({ root }: BuiltRelease): boolean {
  return databaseServices.some((database) => {
    const folder = join(appFolderOf(database), 'prisma', 'migrations');
    const known = readdirSync(join(root, folder));
    return readdirSync(join(workspaceRoot(), folder)).some((name) => !known.includes(name));
  });
}

export async function runOldTests(closer: Closer, report: Report, { name, root }: BuiltRelease): Promise<void> {
  const copy = `${root}-migrated`;
  rmSync(copy, { recursive: true, force: true });
  closer.add('the copy of the release', () => rmSync(copy, { recursive: true, force: true }));
  await promisify(execFile)('cp', ['-al', root, copy], { timeout: RUN_MS_MAX });
  for (const database of databaseServices) {
    for (const newer of NEWER) {
      const path = join(appFolderOf(database), 'prisma', newer);
      rmSync(join(copy, path), { recursive: true, force: true });
      cpSync(join(workspaceRoot(), path), join(copy, path), { recursive: true });
    }
  }
  const file = join(openFolder(closer), 'report.json');
  const args = ['run', TESTS, '--reporter=json', `--outputFile.json=${file}`];
  const env = { ...process.env, MARKET_STATE_ROOT: copy };
  const options = { cwd: copy, env, timeout: RUN_MS_MAX, maxBuffer: REPORT_BYTES_MAX };
  const said = await promisify(execFile)(join(copy, 'node_modules', '.bin', 'vitest'), args, options).then(
    () => '',
    (error: Error) => error.message,
  );
  if (!existsSync(file)) return report.fail(`The tests of ${name} did not run: ${said.slice(-500)}`);
  const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(file, 'utf8')) as TestReport;
  const failed = testResults.flatMap(({ assertionResults }) => assertionResults.filter(({ status }) => status === 'failed'));
  report.fail(
    ...firstOf(
      failed.map(({ fullName }) => `On newer migrations a test of ${name} fails: ${fullName}`),
      SHOWN_MAX,
    ),
  );
  report.check(passed > 0, `No test of ${name} passed on newer migrations.`);
  if (said !== '' && failed.length === 0) report.fail(`The tests of ${name} failed: ${said.slice(-500)}`);
  report.figure(`tests of ${name} on this release's migrations, passed, failed`, `${passed}, ${failed.length}`);
}

export interface BuiltRelease {
  readonly name: string;
  /** Root of its workspace, with its bundles under dist/. */
  readonly root: string;
}

const run = promisify(execFile);
const STEP_MS_MAX = 900_000;
const BUFFER_BYTES_MAX = 64 * 1024 * 1024;

/** Full commit id of a revision. @throws Error if git does not know it */
export async function commitOf(revision: string): Promise<string> {
  const { stdout } = await run('git', ['-C', workspaceRoot(), 'rev-parse', '--verify', `${revision}^{commit}`], { timeout: STEP_MS_MAX });
  return stdout.trim();
}

/**
 * Workspace of a commit under `dist/releases`, built and cached for the next run. Shares this workspace's packages if
 * the lock files agree.
 */
export async function buildRelease(commit: string): Promise<BuiltRelease> {
  const root = join(workspaceRoot(), 'dist', 'releases', commit);
  if (!existsSync(root)) await extract(commit, root);
  const env = { ...process.env, MARKET_STATE_ROOT: root };
  await run(process.execPath, [join(root, 'tools', 'bootstrap.mjs'), 'prepare'], {
    cwd: root,
    env,
    timeout: STEP_MS_MAX,
    maxBuffer: BUFFER_BYTES_MAX,
  });
  return { name: commit.slice(0, 8), root };
}

async function extract(commit: string, root: string): Promise<void> {
  const partial = `${root}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  const archive = `${partial}.tar`;
  try {
    await run('git', ['-C', workspaceRoot(), 'archive', '-o', archive, commit], { timeout: STEP_MS_MAX });
    await run('tar', ['-x', '-C', partial, '-f', archive], { timeout: STEP_MS_MAX });
  } finally {
    rmSync(archive, { force: true });
  }
  // The workspace packages are relative links, so the copy's links lead into the copy. If the lock files differ,
  // `prepare` installs the packages.
  await run('cp', ['-al', join(workspaceRoot(), 'node_modules'), join(partial, 'node_modules')], { timeout: STEP_MS_MAX });
  renameSync(partial, root);
}
