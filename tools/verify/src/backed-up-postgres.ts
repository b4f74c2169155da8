import { type ChildProcess, execFile, execFileSync, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, withClient, workspaceRoot } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { endProcess, findProgram, openFolder, spawnOwned, waitUntil, startSystem, type System } from '@market-state/testing';

export const SYMBOL = 'BTCUSD-PERP';

export function drillSystem(dataDir: string, postgres: BackedUpPostgres, receiversCa: string): () => Promise<System> {
  const caFile = join(dataDir, 'receivers.pem');
  writeFileSync(caFile, receiversCa);
  // At startup the last full hour is played and archived.
  const settings = {
    FEED: 'recording',
    SYMBOLS: SYMBOL,
    WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: caFile,
    LOG_LEVEL: 'warn',
  };
  return () => startSystem({ dataDir, stores: { databaseUrl: postgres.url }, settings });
}

const POSTGRES_FOLDER = '/usr/lib/postgresql/15/bin';
const UNPRIVILEGED_USER = 65_534;
/** A restored server replays its WAL before it accepts connections. */
const READY_MS_MAX = 300_000;
const BACKUP_MS_MAX = 600_000;

interface BackedUpPostgres {
  /** Superuser URL; unchanged by a restore. */
  readonly url: string;
  /** @returns duration in milliseconds */
  backUp(type: 'full' | 'diff'): Promise<number>;
  /** Resolves once everything written so far is in the repository. */
  archived(): Promise<void>;
  /** Simulates a lost machine: stops the server abruptly; its data folder is never used again. */
  lose(): Promise<void>;
  /** Restores to an instant (ISO 8601 with zone) in a new data folder. @returns durations in milliseconds */
  restore(instant: string): Promise<{ readonly restoreMs: number; readonly replayMs: number }>;
  repositoryBytes(): number;
}

export async function startBackedUpPostgres(closer: Closer, say: (line: string) => void): Promise<BackedUpPostgres> {
  const postgres = await findProgram(join(POSTGRES_FOLDER, 'postgres'), 'postgresql-15', say);
  const pgbackrest = await findProgram('pgbackrest', 'pgbackrest', say);
  const folder = openFolder(closer);
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {};
  const own = (path: string, mode: number): string => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
    chmodSync(path, mode);
    return path;
  };
  const ownFolder = (name: string): string => {
    mkdirSync(join(folder, name));
    return own(join(folder, name), 0o700);
  };
  chmodSync(folder, 0o711);
  const [home = '', repository = '', logs = '', locks = '', spool = ''] = ['home', 'repository', 'logs', 'locks', 'spool'].map(ownFolder);
  const config = (name: string): string => {
    copyFileSync(join(workspaceRoot(), 'deploy', 'postgres', name), join(home, name));
    return own(join(home, name), 0o600);
  };
  const [port, password] = [await freePort(), randomBytes(16).toString('hex')];
  const configFile = join(home, 'all.conf');
  writeFileSync(configFile, ['postgresql.conf', 'backup.conf'].map((name) => `include '${config(name)}'\n`).join(''));
  own(configFile, 0o600);
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password);
  own(passwordFile, 0o600);

  const backrestEnv = (data: string): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    LC_ALL: 'C',
    TZ: 'UTC',
    PGBACKREST_CONFIG: config('pgbackrest.conf'),
    PGBACKREST_STANZA: 'market-state',
    PGBACKREST_REPO1_CIPHER_PASS: password,
    PGBACKREST_REPO1_PATH: repository,
    PGBACKREST_LOG_PATH: logs,
    PGBACKREST_LOCK_PATH: locks,
    PGBACKREST_SPOOL_PATH: spool,
    PGBACKREST_PG1_PATH: data,
    PGBACKREST_PG1_PORT: String(port),
    PGBACKREST_PG1_SOCKET_PATH: home,
  });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  let data = join(home, 'data');
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const here = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: home };
    const args = [
      '-c',
      `config_file=${configFile}`,
      '-D',
      data,
      ...Object.entries(here).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    const options = { cwd: home, env: backrestEnv(data), ...user, stdio: ['ignore', 'pipe', 'pipe'] as StdioOptions };
    const started = spawnOwned(postgres, args, { ...options, stopSignal: 'SIGQUIT' });
    server = started;
    let said = '';
    for (const stream of [started.stdout, started.stderr])
      stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
    const isReady = async (): Promise<boolean> => {
      if (started.exitCode !== null) throw new Error(`PostgreSQL exited: ${said}`);
      const { rows } = await withClient(url, (client) => client.query<{ is_behind: boolean }>('SELECT pg_is_in_recovery() AS is_behind'));
      return rows[0]?.is_behind === false;
    };
    await waitUntil('PostgreSQL accepting connections', isReady, READY_MS_MAX);
  }

  async function stop(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    if (server !== undefined) await endProcess(server, signal);
  }

  /** Runs pgBackRest as the user that owns the data. @returns duration in milliseconds */
  async function backrest(...args: readonly string[]): Promise<number> {
    const startedMs = performance.now();
    const options = { cwd: home, env: backrestEnv(data), timeout: BACKUP_MS_MAX, ...user };
    await promisify(execFile)(pgbackrest, args, options).catch((error: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`pgbackrest ${args.join(' ')} failed: ${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
    });
    return performance.now() - startedMs;
  }

  const initdb = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth-host=scram-sha-256', '--auth-local=trust', '-k'];
  execFileSync(join(POSTGRES_FOLDER, 'initdb'), initdb, {
    cwd: home,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    ...user,
    stdio: 'pipe',
  });
  closer.add('PostgreSQL', () => stop('SIGINT'));
  await start();
  await backrest('stanza-create');
  return {
    url,
    backUp: (type) => backrest('backup', `--type=${type}`),
    async archived() {
      await withClient(url, (client) => client.query('SELECT pg_switch_wal()'));
      await backrest('check');
    },
    lose: () => stop('SIGQUIT'),
    async restore(instant) {
      data = join(home, 'restored');
      mkdirSync(data, { mode: 0o700 });
      own(data, 0o700);
      const restoreMs = await backrest('restore', '--type=time', `--target=${instant}`, '--target-action=promote');
      const startedMs = performance.now();
      await start();
      return { restoreMs, replayMs: performance.now() - startedMs };
    },
    repositoryBytes: () => Number(execFileSync('du', ['-sb', repository]).toString().split('\t')[0]),
  };
}
