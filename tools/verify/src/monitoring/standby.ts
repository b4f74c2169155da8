import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { type System, openFolder } from '@market-state/testing';
import { Client } from 'pg';
import { runProgram } from './prometheus';

/** More than the lag that the alert allows. */
const BEHIND_MB = 96;
const CONNECT_MS_MAX = 5_000;

export interface Standby {
  readonly exporter: string;
  /** Pauses replay and writes enough for the lag to exceed the alert's limit. */
  fallBehind(): Promise<void>;
  catchUp(): Promise<void>;
}

async function withServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS_MAX });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

interface Server {
  readonly program: string;
  readonly cluster: string;
  readonly uid: number;
}

function serverOf(dataDir: string): Server {
  const { processes } = JSON.parse(readFileSync(join(dataDir, 'processes.json'), 'utf8')) as { processes: { name: string; pid: number }[] };
  const pid = processes.find(({ name }) => name === 'postgres')?.pid;
  if (pid === undefined) throw new Error('The system runs no Postgres of its own.');
  const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  return { program: readlinkSync(`/proc/${pid}/exe`), cluster: readlinkSync(`/proc/${pid}/cwd`), uid };
}

/** Copies the running server, as a backup does. Replay restores files removed during the copy. */
async function copyCluster(adminUrl: string, { cluster, uid }: Server, to: string): Promise<void> {
  await withServer(adminUrl, async (client) => {
    await client.query(`SELECT pg_backup_start('standby', true)`);
    spawnSync('cp', ['-a', cluster, to]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(to, name), { force: true });
  const { hostname, port, username, password } = new URL(adminUrl);
  const conninfo = `host=${hostname} port=${port} user=${username} password=${password} application_name=standby`;
  writeFileSync(join(to, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  writeFileSync(join(to, 'standby.signal'), '');
  for (const name of ['backup_label', 'postgresql.auto.conf', 'standby.signal']) chownSync(join(to, name), uid, uid);
}

export async function startStandby(closer: Closer, { dataDir, stores }: System, exporterFile: string): Promise<Standby> {
  const server = serverOf(dataDir);
  const cluster = join(openFolder(closer), 'standby');
  await copyCluster(stores.adminUrl, server, cluster);
  const port = await freePort();
  const standbyUrl = Object.assign(new URL(stores.adminUrl), { port: String(port) }).href;
  await runProgram(closer, 'standby', {
    file: server.program,
    args: ['-D', cluster, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=200', '-c', 'fsync=off'],
    uid: server.uid,
    isReady: () => withServer(standbyUrl, async (client) => (await client.query('SELECT pg_is_in_recovery()')).rowCount === 1),
  });
  const exporter = `127.0.0.1:${await freePort()}`;
  await runProgram(closer, 'exporter', {
    file: exporterFile,
    args: [`--web.listen-address=${exporter}`, '--log.level=error'],
    env: { DATA_SOURCE_NAME: `${stores.adminUrl}?sslmode=disable` },
    isReady: async () => (await fetch(`http://${exporter}/metrics`, { signal: timeLimit(CONNECT_MS_MAX) })).ok,
  });
  return {
    exporter,
    async fallBehind() {
      await withServer(standbyUrl, (client) => client.query('SELECT pg_wal_replay_pause()'));
      await withServer(stores.adminUrl, (client) =>
        client.query(`SELECT pg_logical_emit_message(false, 'verify', repeat('x', 1048576)) FROM generate_series(1, ${BEHIND_MB})`),
      );
    },
    catchUp: async () => void (await withServer(standbyUrl, (client) => client.query('SELECT pg_wal_replay_resume()'))),
  };
}
