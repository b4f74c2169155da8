import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port';
import { endProcess } from '../process/end-process';
import { folderOf, identityOf } from '../process/identity';
import { nativeFolder } from './native-folder';
import { openPasswords } from './passwords';
import type { Passwords } from './passwords';
import { giveTo, giveToServerUser, serverUser, setupUser } from './server-user';
import { superviseStore } from './store-context';
import type { RunningStore, StoreContext } from './store-context';

const connectionsMax = 200;
const stopTimeoutMs = 20_000;
/** The folder that a server or initdb is started in: its user may not enter the data folder that leads there. */
const workingFolder = '/proc/self/cwd';
const run = promisify(execFile);

/** A PostgreSQL server of our own. */
export interface RunningPostgres extends RunningStore {
  /** The superuser's URL of the database `postgres`. */
  adminUrl: string;
  passwords: Passwords;
}

/**
 * Starts PostgreSQL on a free loopback port with its data under `<dataDir>/postgres`, making the cluster on first use. As
 * root, the server runs as a user of its own. A server that an earlier launcher left running on this cluster is stopped first.
 * @throws Error in a sentence when root may not start a process as another user here
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
      // Those that served a server that was killed hold its memory until each has noticed.
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
  // With symbols bound before the server forks, a connection costs 16 ms of CPU instead of 23.
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', LD_BIND_NOW: '1' };
}

/** The folder that holds the cluster and the passwords. Where release 0.1.0 put it elsewhere, `<dataDir>/postgres/location` names it. */
function homeOf({ dataDir }: StoreContext): string {
  const own = join(dataDir, 'postgres');
  mkdirSync(own, { recursive: true });
  // initdb, as another user, reads the file with the password in here. No one else reaches this folder: the data folder is closed.
  chmodSync(own, 0o711);
  const pointer = join(own, 'location');
  const named = existsSync(pointer) ? readFileSync(pointer, 'utf8').trim() : own;
  return existsSync(named) ? named : own;
}

/** Makes the cluster beside its final place first, so that an interrupted attempt leaves nothing that looks whole. */
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
  // A thousand small files reach the disk together while the start goes on, instead of one by one before it.
  if (!ephemeral) execFile('sync', ['-f', cluster], () => undefined).unref();
}

/** Stops a server that still runs on this cluster, known by the folder it runs in; a pid file that names anything else is stale. */
async function endLeftOver(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const identity = identityOf(pid);
  if (identity !== undefined && folderOf(pid) === realpathSync(cluster)) await endProcess(identity, 'SIGINT', stopTimeoutMs);
  rmSync(pidFile, { force: true });
}
