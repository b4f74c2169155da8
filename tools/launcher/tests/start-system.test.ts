import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { timeLimit, waitFor } from '@market-state/lifecycle';
import Redis from 'ioredis';
import { identityOf, isAlive } from '../src/process/identity';
import { readProcessList } from '../src/process/registry';
import type { RegisteredProcess } from '../src/process/registry';
import { withClient } from '../src/stores/databases';
import { startStores } from '../src/stores/start-stores';
import type { Stores } from '../src/stores/start-stores';
import { launchSystem } from '../src/system/start-system';
import type { System } from '../src/system/start-system';
import { placeholders } from './fixtures/placeholders';

const script = join(__dirname, 'fixtures', 'service.cjs');
const folders: string[] = [];
const launchers: ChildProcess[] = [];

let shared: Stores;
beforeAll(async () => {
  shared = await startStores();
});
afterAll(async () => {
  await shared.stop();
  for (const launcher of launchers) launcher.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A temporary folder that every user may enter, so that PostgreSQL's data can lie in it whoever runs this. */
function newFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'launcher-test-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

function launch(dataDir: string | undefined, settings: NodeJS.ProcessEnv = {}): Promise<System> {
  return launchSystem({ dataDir, settings }, placeholders, () => script);
}

/** A system on the stores that the tests share. */
function launchOnShared(dataDir: string | undefined, say?: (line: string) => void): Promise<System> {
  return launchSystem({ dataDir, say, stores: { databaseUrl: shared.adminUrl, redisUrl: shared.redisUrl } }, placeholders, () => script);
}

/** A launcher in a process of its own; resolves with what it reports once its system is ready, or failed. */
async function spawnLauncher(
  dataDir: string,
): Promise<{ launcher: ChildProcess; report: { url?: string; said?: string[]; error?: string } }> {
  const file = join(__dirname, 'fixtures', 'launcher.ts');
  const launcher = spawn(process.execPath, ['--import', 'tsx', file, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  launchers.push(launcher);
  const [line] = (await once(createInterface({ input: launcher.stdout }), 'line')) as [string];
  return { launcher, report: JSON.parse(line) };
}

function listed(dataDir: string): RegisteredProcess[] {
  return readProcessList(dataDir)?.processes ?? [];
}

/** Resolves with the first value of `condition` that is neither undefined nor false. */
function seen<T>(what: string, condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const probe = async (): Promise<T> => {
    const value = await condition();
    if (value === undefined || value === false) throw new Error(`Not seen: ${what}`);
    return value;
  };
  return waitFor(what, probe, { signal: timeLimit(20_000), minDelayMs: 10, maxDelayMs: 50 });
}

async function noneAlive(processes: RegisteredProcess[]): Promise<void> {
  await seen('the end of every process', () => processes.every((entry) => !isAlive(entry)));
}

test('every process is listed, told where the others are, logs to a file, and stops in order, edge first', async () => {
  const dataDir = newFolder();
  const order = join(dataDir, 'order');
  const system = await launch(dataDir, { ORDER_FILE: order });
  await system.ready(timeLimit(30_000));
  const processes = listed(dataDir);
  expect(processes.map(({ name }) => name).sort()).toEqual(['edge', 'middle', 'postgres', 'redis', 'source']);
  expect(processes.filter(isAlive)).toEqual(processes);
  const edge = processes.find(({ name }) => name === 'edge');
  const addressOf = (name: string): string => `127.0.0.1:${system.processes.portsOf(name).grpc}`;
  const environment = readFileSync(`/proc/${edge?.pid}/environ`, 'utf8').split('\0');
  expect(environment).toContain(`SOURCE_ADDRESS=${addressOf('source')}`);
  expect(environment).toContain(`PORT=${edge?.ports['public']}`);
  for (const { name } of processes) expect(existsSync(join(dataDir, 'logs', `${name}.log`))).toBe(true);

  const endpoints = join(dataDir, 'endpoints.json');
  expect(JSON.parse(readFileSync(endpoints, 'utf8'))).toEqual({
    gateway: system.url,
    source: addressOf('source'),
    middle: addressOf('middle'),
  });
  expect(statSync(endpoints).mode & 0o777).toBe(0o600);
  const targets = JSON.parse(readFileSync(join(dataDir, 'metrics-targets.json'), 'utf8')) as object[];
  const targetOf = (name: string) => ({ targets: [`127.0.0.1:${system.processes.portsOf(name).ops}`], labels: { process: name } });
  expect(targets).toEqual(['source', 'middle', 'edge'].map(targetOf));

  const expected = ['public', addressOf('middle'), addressOf('source')];
  await system.stop();
  expect(readFileSync(order, 'utf8').trim().split('\n')).toEqual(expected);
  expect(processes.filter(isAlive)).toEqual([]);
  for (const file of ['processes.json', 'endpoints.json', 'metrics-targets.json']) expect(existsSync(join(dataDir, file))).toBe(false);
});

test('one more process of a definition has ports of its own and everything else of the first, and stops with it', async () => {
  const dataDir = newFolder();
  const system = await launchOnShared(dataDir);
  await system.ready(timeLimit(30_000));
  const own = await system.processes.startAnother('edge');
  const another = await seen('edge-2', () => listed(dataDir).find(({ name }) => name === 'edge-2'));
  const first = listed(dataDir).find(({ name }) => name === 'edge');
  expect(another.ports).toEqual(own);
  const settingsOf = ({ pid }: RegisteredProcess): string[] =>
    readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter((setting) => !/^(PORT|OPS_PORT)=/.test(setting))
      .sort();
  if (first === undefined) throw new Error('edge is not listed');
  expect(settingsOf(another)).toEqual(settingsOf(first));
  expect(own.public).not.toBe(first.ports['public']);
  await system.stop();
  await noneAlive([first, another]);
});

test('endpoints that a killed launcher has left are gone until the next system is up', async () => {
  const dataDir = newFolder();
  const endpoints = join(dataDir, 'endpoints.json');
  writeFileSync(endpoints, '{"gateway":"http://127.0.0.1:1"}');
  const system = await launchOnShared(dataDir);
  expect(existsSync(endpoints)).toBe(false);
  await system.ready(timeLimit(30_000));
  expect(JSON.parse(readFileSync(endpoints, 'utf8'))).toMatchObject({ gateway: system.url });
  await system.stop();
});

test('only the process that signs packets is told where the key is: in the data folder, or where the operator says', async () => {
  const dataDir = newFolder();
  for (const [settings, expected] of [
    [{}, join(dataDir, 'signing-key.pem')],
    [{ SIGNING_KEY_FILE: '/keys/ours.pem' }, '/keys/ours.pem'],
  ] as const) {
    const stores = { databaseUrl: shared.adminUrl, redisUrl: shared.redisUrl };
    const system = await launchSystem({ dataDir, settings, stores }, placeholders, () => script);
    await system.ready(timeLimit(30_000));
    const told = (name: string): string[] => {
      const entry = listed(dataDir).find((one) => one.name === name);
      return readFileSync(`/proc/${entry?.pid}/environ`, 'utf8')
        .split('\0')
        .filter((variable) => variable.startsWith('SIGNING_KEY_FILE='));
    };
    expect(told('middle')).toEqual([`SIGNING_KEY_FILE=${expected}`]);
    expect([...told('source'), ...told('edge')]).toEqual([]);
    await system.stop();
  }
});

test('a killed process comes back on its port, and a line says so', async () => {
  const said: string[] = [];
  const system = await launchOnShared(undefined, (line) => said.push(line));
  await system.ready(timeLimit(30_000));
  const before = await (await fetch(system.url)).text();
  process.kill(Number(before), 'SIGKILL');
  const after = await seen('another process on the same port', async () => {
    const pid = await (await fetch(system.url)).text();
    return pid !== before && pid;
  });
  expect(system.processes.process('edge')).toMatchObject({ restarts: 1, pid: Number(after) });
  expect(said).toEqual(['edge ended (SIGKILL); it starts again in 250 ms.']);
  await system.stop();
});

test('a process that refuses its settings is not started again: the start fails with every faulty setting named', async () => {
  const said: string[] = [];
  const stores = { databaseUrl: shared.adminUrl, redisUrl: shared.redisUrl };
  const system = await launchSystem(
    { settings: { SETTING: 'faulty' }, say: (line) => said.push(line), stores },
    placeholders,
    () => script,
  );
  await expect(system.ready(timeLimit(30_000))).rejects.toThrow('edge does not run with these settings.');
  expect(system.refused.aborted).toBe(true);
  expect(said).toEqual(['edge: configuration is not valid: SETTING: must be set; OTHER: must be set']);
  expect(system.processes.process('edge')).toMatchObject({ restarts: 0, pid: undefined });
  await system.stop();
});

test('killed stores come back on their ports with their data', async () => {
  const dataDir = newFolder();
  const system = await launch(dataDir);
  await system.ready(timeLimit(30_000));
  const redis = new Redis(system.stores.redisUrl);
  redis.on('error', () => undefined);
  await redis.set('kept', 'yes');
  await seen('the write on disk', async () => /aof_pending_bio_fsync:0/.test(await redis.info('persistence')));
  await withClient(system.stores.ownerUrl('labeling'), (client) => client.query(`CREATE TABLE kept AS SELECT 'yes' AS value`));
  for (const name of ['redis', 'postgres']) {
    const old = listed(dataDir).find((entry) => entry.name === name) as RegisteredProcess;
    process.kill(old.pid, 'SIGKILL');
    const back = await seen(`${name} again`, () => listed(dataDir).find((entry) => entry.name === name && entry.pid !== old.pid));
    expect(back.ports).toEqual(old.ports);
  }
  expect(await seen('Redis', () => redis.get('kept').then((value) => value ?? undefined))).toBe('yes');
  redis.disconnect();
  const rows = await seen('Postgres', () =>
    withClient(system.stores.ownerUrl('labeling'), async (client) => (await client.query('SELECT value FROM kept')).rows),
  );
  expect(rows).toEqual([{ value: 'yes' }]);
  await system.stop();
});

test('two systems run side by side', async () => {
  const [one, other] = await Promise.all([launch(undefined), launch(undefined)]);
  await Promise.all([one.ready(timeLimit(30_000)), other.ready(timeLimit(30_000))]);
  expect(one.url).not.toBe(other.url);
  await Promise.all([one.stop(), other.stop()]);
  expect([one.dataDir, other.dataDir].filter(existsSync)).toEqual([]);
});

test('a second launcher on the same data is refused in a sentence', async () => {
  const dataDir = newFolder();
  const system = await launchOnShared(dataDir);
  await expect(launchOnShared(dataDir)).rejects.toThrow(`${dataDir} is in use by the launcher with pid ${process.pid}.`);
  expect(listed(dataDir)).toHaveLength(3);
  await system.stop();
});

describe('a launcher that is killed outright', () => {
  const dataDir = newFolder();

  test('takes all that it started with it, and the next one starts on the same data', async () => {
    const { launcher } = await spawnLauncher(dataDir);
    const processes = listed(dataDir);
    expect(processes).toHaveLength(5);
    launcher.kill('SIGKILL');
    await noneAlive(processes);
    const system = await launch(dataDir);
    await system.ready(timeLimit(30_000));
    await system.stop();
  });

  test('leaves to the next one what outlives its warden too', async () => {
    const { launcher } = await spawnLauncher(dataDir);
    const processes = listed(dataDir);
    const children = readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, 'utf8').trim().split(' ').map(Number);
    const wardens = children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/bin/sh'));
    expect(wardens).toHaveLength(1);
    process.kill(wardens[0] as number, 'SIGKILL');
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    expect(processes.filter(isAlive)).toHaveLength(5);

    const { launcher: next, report } = await spawnLauncher(dataDir);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(report.said?.[0]).toContain('Ended what an earlier launcher had left running');
    expect(listed(dataDir)).toHaveLength(5);
    const started = listed(dataDir);
    next.kill('SIGKILL');
    await noneAlive(started);
  });
});

test('a process that was only given the pid of one of ours is left alone', async () => {
  const dataDir = newFolder();
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true, stdio: 'ignore' });
  launchers.push(bystander);
  await once(bystander, 'spawn');
  const identity = identityOf(bystander.pid as number);
  const entry = { ...identity, startTicks: '1', name: 'edge', ports: {} };
  writeFileSync(join(dataDir, 'processes.json'), JSON.stringify({ launcher: entry, processes: [entry] }));
  const said: string[] = [];
  const system = await launchOnShared(dataDir, (line) => said.push(line));
  expect(said).toEqual([]);
  expect(identity !== undefined && isAlive(identity)).toBe(true);
  await system.stop();
});

test('a data folder that only its owner may enter does for root and for anyone else, and its data is found again', async () => {
  const dataDir = newFolder(0o700);
  const ask = async (sql: string): Promise<unknown[]> => {
    const system = await launch(dataDir);
    const { rows } = await withClient(system.stores.ownerUrl('account'), (client) => client.query(sql));
    await system.stop();
    return rows;
  };
  await ask(`CREATE TABLE kept AS SELECT 'yes' AS value`);
  const pointer = join(dataDir, 'postgres', 'location');
  if (existsSync(pointer)) folders.push(readFileSync(pointer, 'utf8').trim());
  expect(await ask('SELECT value FROM kept')).toEqual([{ value: 'yes' }]);
});
