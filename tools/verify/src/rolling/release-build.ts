import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@market-state/launcher';

/** A release that can be started. */
export interface BuiltRelease {
  /** As reports call it. */
  readonly name: string;
  /** The top folder of its workspace, with its bundles under dist/. */
  readonly root: string;
}

const run = promisify(execFile);
const STEP_MS_MAX = 900_000;
const BUFFER_BYTES_MAX = 64 * 1024 * 1024;

/** The commit that a revision names, in full. @throws Error when git knows none */
export async function commitOf(revision: string): Promise<string> {
  const { stdout } = await run('git', ['-C', workspaceRoot(), 'rev-parse', '--verify', `${revision}^{commit}`], { timeout: STEP_MS_MAX });
  return stdout.trim();
}

/**
 * The workspace of a commit under `dist/releases`, with packages and bundles; it is kept there for the next run. Packages are those of this
 * workspace, linked, where its lock file names no others.
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

/** The sources of the commit, put in place whole. */
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
  // Links of the workspace's own packages are relative: those of the copy lead into the copy. Where its lock file names other packages than
  // these, `prepare` installs them.
  await run('cp', ['-al', join(workspaceRoot(), 'node_modules'), join(partial, 'node_modules')], { timeout: STEP_MS_MAX });
  renameSync(partial, root);
}
