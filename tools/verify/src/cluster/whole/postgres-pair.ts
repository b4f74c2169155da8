import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chmodSync, chownSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort, withClient, workspaceRoot } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { findProgram, openFolder, pidsBelow, spawnOwned, waitUntil } from '@market-state/testing';
import { startHaproxy } from '../haproxy';

const PROGRAMS = '/usr/lib/postgresql/15/bin';
const DEPLOY = join(workspaceRoot(), 'deploy');
const UNPRIVILEGED_USER = 65_534;
const READY_MS_MAX = 60_000;
const COMMAND_MS_MAX = 120_000;
/** The watchdog checks the primary at this interval, and considers it dead after this many checks without an answer. */
const WATCH_MS = 500;
const LOOKS = 3;

export interface PostgresPair {
  /** Superuser URL through HAProxy, always to the primary. */
  readonly url: string;
  /**
   * Kills every process of the primary. Once it is found dead, the standby is promoted and the old primary becomes its
   * standby.
   */
  failOver(): Promise<Loss>;
  /**
   * Kills every process of the standby. Commits stop waiting for it once it is found dead, and wait again once it is
   * back.
   */
  loseStandby(): Promise<Loss>;
}

interface Loss {
  /** Time of `performance.now()`. */
  readonly atMs: number;
  /** Time until a write through the shared address is confirmed. */
  readonly writableMs: number;
}

interface Server {
  readonly name: 'one' | 'other';
  readonly port: number;
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Runs `pair.sh` as the owner of the data. */
  pair(...args: readonly string[]): Promise<void>;
}

export async function startPostgresPair(closer: Closer, say: (line: string) => void): Promise<PostgresPair> {
  await findProgram(join(PROGRAMS, 'postgres'), 'postgresql-15', say);
  const home = openFolder(closer);
  const settings = { home, password: randomBytes(16).toString('hex'), pairPassword: randomBytes(16).toString('hex') };
  const [one, other] = [await createServer(closer, 'one', settings), await createServer(closer, 'other', settings)];
  await makeFirst(one, settings);
  await one.pair('roles', settings.pairPassword);
  await withClient(one.url, (client) => client.query('CREATE TABLE pulse (at timestamptz NOT NULL)'));
  const conninfoOf = ({ port }: Server): string =>
    `host=127.0.0.1 port=${port} user=pair password=${settings.pairPassword} dbname=postgres`;
  await other.pair('copy', conninfoOf(one));
  await other.start();
  await pairUp(one);
  const address = `127.0.0.1:${await freePort()}`;
  await startHaproxy(
    closer,
    join(DEPLOY, 'haproxy', 'postgres.cfg'),
    {
      POSTGRES_ADDRESS: address,
      POSTGRES_ONE: `127.0.0.1:${one.port}`,
      POSTGRES_OTHER: `127.0.0.1:${other.port}`,
    },
    say,
  );
  const url = `postgresql://postgres:${settings.password}@${address}/postgres`;
  await waitUntil('HAProxy finding the standby', () => isAlwaysWritable(url), READY_MS_MAX);
  let [primary, standby] = [one, other];

  return {
    url,
    async failOver() {
      const atMs = performance.now();
      await primary.kill();
      const writable = waitUntil('a write through the shared address', () => isWritable(url), READY_MS_MAX).then(
        () => performance.now() - atMs,
      );
      writable.catch(() => undefined);
      await untilFoundDead(primary);
      await standby.pair('promote');
      [primary, standby] = [standby, primary];
      const writableMs = await writable;
      await standby.pair('rejoin', conninfoOf(primary));
      await standby.start();
      await pairUp(primary);
      return { atMs, writableMs };
    },
    async loseStandby() {
      const atMs = performance.now();
      await standby.kill();
      await untilFoundDead(standby);
      await primary.pair('synchronous', 'off');
      await waitUntil('a write', () => isWritable(url), READY_MS_MAX);
      const writableMs = performance.now() - atMs;
      await standby.start();
      await pairUp(primary);
      return { atMs, writableMs };
    },
  };
}

interface PairSettings {
  readonly home: string;
  readonly password: string;
  readonly pairPassword: string;
}

const CONFIGURATIONS = ['postgresql.conf', 'pair.conf'];

async function createServer(closer: Closer, name: Server['name'], { home, password }: PairSettings): Promise<Server> {
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {};
  const data = join(home, name);
  const port = await freePort();
  const env = {
    PATH: `${PROGRAMS}:${process.env['PATH']}`,
    LC_ALL: 'C',
    TZ: 'UTC',
    PGDATA: data,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'postgres',
    PGPASSWORD: password,
  };
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  let running: ChildProcess | undefined;

  async function kill(): Promise<void> {
    if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    const family = [running.pid, ...pidsBelow(running.pid)];
    for (const pid of family) killIfThere(pid);
    await exited;
    await waitUntil('the end of every process of a server', () => family.every((pid) => !isThere(pid)));
  }

  closer.add(`PostgreSQL ${name}`, kill);
  return {
    name,
    port,
    url,
    kill,
    async start() {
      const here = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
      const args = ['-D', data, ...Object.entries(here).flatMap(([setting, value]) => ['-c', `${setting}=${value}`])];
      const started = spawnOwned(join(PROGRAMS, 'postgres'), args, {
        cwd: home,
        env,
        ...user,
        stdio: ['ignore', 'pipe', 'pipe'],
        stopSignal: 'SIGQUIT',
      });
      running = started;
      let said = '';
      for (const stream of [started.stdout, started.stderr])
        stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
      await waitUntil('PostgreSQL accepting connections', () => isAnswering(url), READY_MS_MAX).catch((error: Error) => {
        throw new Error(`PostgreSQL ${name} did not start: ${said}`, { cause: error });
      });
    },
    async pair(...args) {
      const options = { cwd: home, env, ...user, timeout: COMMAND_MS_MAX };
      await promisify(execFile)(join(home, 'pair.sh'), args, options).catch((error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`pair.sh ${args[0]} on ${name} failed: ${error.stdout ?? ''}${error.stderr ?? ''}`, { cause: error });
      });
    },
  };
}

/** Creates the first server's data with the settings of `deploy/postgres` and its access rules, and starts it. */
async function makeFirst(server: Server, { home, password }: PairSettings): Promise<void> {
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {};
  const data = join(home, server.name);
  const own = (path: string, mode: number): void => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
    chmodSync(path, mode);
  };
  own(home, 0o700);
  for (const name of [...CONFIGURATIONS, 'pair.sh']) {
    copyFileSync(join(DEPLOY, 'postgres', name), join(home, name));
    own(join(home, name), 0o700);
  }
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password);
  own(passwordFile, 0o600);
  const initdb = ['-D', data, '-U', 'postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
  await promisify(execFile)(join(PROGRAMS, 'initdb'), initdb, { cwd: home, env, ...user, timeout: COMMAND_MS_MAX });
  rmSync(passwordFile);
  appendFileSync(join(data, 'postgresql.conf'), CONFIGURATIONS.map((name) => `include '${join(home, name)}'\n`).join(''));
  // HAProxy's health check has no password: its role may connect and nothing else.
  const here = '127.0.0.1/32';
  const rules = [`host postgres health ${here} trust`, `host all all ${here} scram-sha-256`, `host replication pair ${here} scram-sha-256`];
  writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
  await server.start();
}

/** Commits wait for a standby once it follows. */
async function pairUp(primary: Server): Promise<void> {
  await waitUntil('a synchronous standby', () => primary.pair('synchronous', 'on').then(() => isSynchronous(primary.url)), READY_MS_MAX);
}

/** Checks repeatedly and concludes after several checks without an answer, as a watchdog does. */
async function untilFoundDead({ url }: Server): Promise<void> {
  for (let silent = 0; silent < LOOKS; silent = (await isAnswering(url)) ? 0 : silent + 1) await delay(WATCH_MS);
}

async function isAnswering(url: string): Promise<boolean> {
  return withClient(url, async (client) => (await client.query('SELECT 1')).rows.length === 1).catch(() => false);
}

async function isSynchronous(url: string): Promise<boolean> {
  const wanted = `SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')`;
  return withClient(url, async (client) => (await client.query(wanted)).rows.length > 0);
}

async function isWritable(url: string): Promise<boolean> {
  return withClient(url, async (client) => (await client.query('INSERT INTO pulse VALUES (clock_timestamp())')).rowCount === 1);
}

/** HAProxy considers every server a primary until its first check. */
async function isAlwaysWritable(url: string): Promise<boolean> {
  for (let at = 0; at < 2 * LOOKS; at += 1) if (!(await isWritable(url))) return false;
  return true;
}

function isThere(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
