import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive } from '../src/process/identity';
import type { RegisteredProcess } from '../src/process/registry';
import { type GivenStores, startStores, type Stores } from '../src/stores/start-stores';
import type { System } from '../src/system/start-system';
import { launch, listed, newFolder, noneAlive, ready, removeFolders, seen } from './fixtures/placeholder-system';

const bystanders: ChildProcess[] = [];

let shared: Stores;
beforeAll(async () => {
  shared = await startStores();
});
afterAll(async () => {
  await shared.stop();
  for (const bystander of bystanders) bystander.kill('SIGKILL');
  removeFolders();
});

/** The stores that the tests share. */
function stores(): GivenStores {
  return { databaseUrl: shared.adminUrl, redisUrl: shared.redisUrl };
}

function launchOnShared(dataDir: string | undefined, say?: (line: string) => void): Promise<System> {
  return launch({ dataDir, say, stores: stores() });
}

test('every process is listed, told where the others are, logs to a file, and stops in order, edge first', async () => {
  const dataDir = newFolder();
  const order = join(dataDir, 'order');
  const system = await launch({ dataDir, settings: { ORDER_FILE: order } });
  await ready(system);
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
  await ready(system);
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
  await ready(system);
  expect(JSON.parse(readFileSync(endpoints, 'utf8'))).toMatchObject({ gateway: system.url });
  await system.stop();
});

test('only the process that signs packets is told where the key is: in the data folder, or where the operator says', async () => {
  const dataDir = newFolder();
  for (const [settings, expected] of [
    [{}, join(dataDir, 'signing-key.pem')],
    [{ SIGNING_KEY_FILE: '/keys/ours.pem' }, '/keys/ours.pem'],
  ] as const) {
    const system = await launch({ dataDir, settings, stores: stores() });
    await ready(system);
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
  await ready(system);
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
  const system = await launch({ settings: { SETTING: 'faulty' }, say: (line) => said.push(line), stores: stores() });
  await expect(ready(system)).rejects.toThrow('edge does not run with these settings.');
  expect(system.refused.aborted).toBe(true);
  expect(said).toEqual(['edge: configuration is not valid: SETTING: must be set; OTHER: must be set']);
  expect(system.processes.process('edge')).toMatchObject({ restarts: 0, pid: undefined });
  await system.stop();
});

test('a second launcher on the same data is refused in a sentence', async () => {
  const dataDir = newFolder();
  const system = await launchOnShared(dataDir);
  await expect(launchOnShared(dataDir)).rejects.toThrow(`${dataDir} is in use by the launcher with pid ${process.pid}.`);
  expect(listed(dataDir)).toHaveLength(3);
  await system.stop();
});

test('a process that was only given the pid of one of ours is left alone', async () => {
  const dataDir = newFolder();
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true, stdio: 'ignore' });
  bystanders.push(bystander);
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
