import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Redis from 'ioredis';
import { isAlive, type RegisteredProcess } from '../src/process/registry';
import { withClient } from '../src/stores/databases';
import { launch, listed, newFolder, noneAlive, ready, removeFolders, seen } from './fixtures/placeholder-system';

const launchers: ChildProcess[] = [];

afterAll(() => {
  for (const launcher of launchers) launcher.kill('SIGKILL');
  removeFolders();
});

async function spawnLauncher(
  dataDir: string,
): Promise<{ launcher: ChildProcess; report: { url?: string; said?: string[]; error?: string } }> {
  const file = join(import.meta.dirname, 'fixtures', 'launcher.ts');
  const launcher = spawn(process.execPath, ['--import', '@oxc-node/core/register', file, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  launchers.push(launcher);
  const [line] = (await once(createInterface({ input: launcher.stdout }), 'line')) as [string];
  return { launcher, report: JSON.parse(line) };
}

test('killed stores are restarted on their ports with their data', async () => {
  const dataDir = newFolder();
  const system = await launch({ dataDir });
  await ready(system);
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
  const [one, other] = await Promise.all([launch({}), launch({})]);
  await Promise.all([ready(one), ready(other)]);
  expect(one.url).not.toBe(other.url);
  await Promise.all([one.stop(), other.stop()]);
  expect([one.dataDir, other.dataDir].filter(existsSync)).toEqual([]);
});

describe('a launcher that is killed outright', () => {
  const dataDir = newFolder();

  test('ends everything it started, and the next one starts on the same data', async () => {
    const { launcher } = await spawnLauncher(dataDir);
    const processes = listed(dataDir);
    expect(processes).toHaveLength(5);
    launcher.kill('SIGKILL');
    await noneAlive(processes);
    const system = await launch({ dataDir });
    await ready(system);
    await system.stop();
  });

  test('leaves processes that outlive its cleanup process to the next one', async () => {
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
    expect(report.said?.[0]).toContain('Ended processes left by an earlier launcher');
    expect(listed(dataDir)).toHaveLength(5);
    const started = listed(dataDir);
    next.kill('SIGKILL');
    await noneAlive(started);
  });
});

test('Postgres data that an older release stored elsewhere is found', async () => {
  const dataDir = newFolder();
  const ask = async (sql: string): Promise<unknown[]> => {
    const system = await launch({ dataDir });
    const { rows } = await withClient(system.stores.ownerUrl('account'), (client) => client.query(sql));
    await system.stop();
    return rows;
  };
  await ask(`CREATE TABLE kept AS SELECT 'yes' AS value`);
  const [home, elsewhere] = [join(dataDir, 'postgres'), join(newFolder(), 'home')];
  renameSync(home, elsewhere);
  mkdirSync(home);
  writeFileSync(join(home, 'location'), `${elsewhere}\n`);
  expect(await ask('SELECT value FROM kept')).toEqual([{ value: 'yes' }]);
});
