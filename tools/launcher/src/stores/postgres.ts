import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../free-port';
import { endProcess } from '../process/end-process';
import { argumentsOf, identityOf } from '../process/identity';
import { anyoneMayEnter, nativeFolder, runsAsRoot, unprivilegedId } from './native-folder';
import { openPasswords } from './passwords';
import type { Passwords } from './passwords';
import { superviseStore } from './store-context';
import type { RunningStore, StoreContext } from './store-context';

const connectionsMax = 200;
const stopTimeoutMs = 20_000;
const homesForRoot = '/var/lib/market-state';
const run = promisify(execFile);

/** A PostgreSQL server of our own. */
export interface RunningPostgres extends RunningStore {
  /** The superuser's URL of the database `postgres`. */
  adminUrl: string;
  passwords: Passwords;
}

/**
 * Starts PostgreSQL on a free loopback port with its data under `<dataDir>/postgres`, making the cluster on first use. As
 * root, the server runs as nobody; where that user cannot reach the data folder, the cluster lies under /var/lib, and a
 * line says so. A server that an earlier launcher left running on this cluster is stopped first.
 */
export async function startPostgres(context: StoreContext): Promise<RunningPostgres> {
  const native = nativeFolder();
  const home = homeOf(context);
  const cluster = join(home, 'cluster');
  const passwords = openPasswords(home);
  if (existsSync(cluster)) await endLeftOver(cluster);
  else await makeCluster(native, home, cluster, passwords('postgres'), context.ephemeral);

  const port = await freePort();
  const process = await superviseStore(
    context,
    {
      name: 'postgres',
      command: join(native, 'bin', 'postgres'),
      args: ['-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...settings(context.ephemeral)],
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

function serverUser(): { uid?: number; gid?: number } {
  return runsAsRoot() ? { uid: unprivilegedId, gid: unprivilegedId } : {};
}

function serverEnvironment(): NodeJS.ProcessEnv {
  // With symbols bound before the server forks, a connection costs 16 ms of CPU instead of 23.
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC', LD_BIND_NOW: '1' };
}

/** The folder that holds the cluster and the passwords, kept by name in `<dataDir>/postgres/location` when it lies elsewhere. */
function homeOf(context: StoreContext): string {
  const own = join(context.dataDir, 'postgres');
  mkdirSync(own, { recursive: true });
  if (!runsAsRoot() || anyoneMayEnter(own)) return own;
  const pointer = join(own, 'location');
  if (existsSync(pointer)) {
    const named = readFileSync(pointer, 'utf8').trim();
    if (existsSync(named)) return named;
  }
  const elsewhere = join(homesForRoot, randomBytes(6).toString('hex'));
  mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  writeFileSync(pointer, `${elsewhere}\n`);
  context.say(`PostgreSQL runs as an ordinary user, who cannot enter ${context.dataDir}: its data lies in ${elsewhere}.`);
  return elsewhere;
}

/** Makes the cluster beside its final place first, so that an interrupted attempt leaves nothing that looks whole. */
async function makeCluster(native: string, home: string, cluster: string, password: string, ephemeral: boolean): Promise<void> {
  const partial = join(home, 'cluster.new');
  const passwordFile = join(home, 'initdb-password');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = serverUser();
  if (uid !== undefined && gid !== undefined) {
    chownSync(partial, uid, gid);
    chownSync(passwordFile, uid, gid);
  }
  chmodSync(partial, 0o700);
  const options = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--locale=C', '--no-sync'];
  try {
    await run(join(native, 'bin', 'initdb'), ['-D', partial, ...options], {
      cwd: partial,
      env: serverEnvironment(),
      uid,
      gid,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(partial, cluster);
  // A thousand small files reach the disk together while the start goes on, instead of one by one before it.
  if (!ephemeral) execFile('sync', ['-f', cluster], () => undefined).unref();
}

/** Stops a server that still runs on this cluster, told by its own arguments; a pid file that names anything else is stale. */
async function endLeftOver(cluster: string): Promise<void> {
  const pidFile = join(cluster, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10);
  const identity = identityOf(pid);
  if (identity !== undefined && argumentsOf(pid).includes(cluster)) await endProcess(identity, 'SIGINT', stopTimeoutMs);
  rmSync(pidFile, { force: true });
}
