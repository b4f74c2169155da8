import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityOf, isAlive, type ProcessIdentity, type RegisteredProcess } from '../src/process/registry';
import type { System } from '../src/system/start-system';
import { environmentOfProcess, launch, listed, newFolder, noneAlive, ready, removeFolders, seen } from './fixtures/placeholder-system';

const dataDir = newFolder();
const order = join(dataDir, 'order');
const endpoints = join(dataDir, 'endpoints.json');
const said: string[] = [];
let bystander: ChildProcess;
let identity: ProcessIdentity | undefined;
let system: System;

/**
 * One system for all tests. A killed launcher left its endpoints in its folder, and a pid now used by another process.
 */
beforeAll(async () => {
  bystander = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true, stdio: 'ignore' });
  await once(bystander, 'spawn');
  identity = identityOf(bystander.pid as number);
  const entry = { ...identity, startTicks: '1', name: 'edge', ports: {} };
  writeFileSync(join(dataDir, 'processes.json'), JSON.stringify({ launcher: entry, processes: [entry] }));
  writeFileSync(endpoints, '{"gateway":"http://127.0.0.1:1"}');
  system = await launch({ dataDir, settings: { ORDER_FILE: order }, say: (line) => said.push(line) });
  expect(existsSync(endpoints)).toBe(false);
  await ready(system);
});
afterAll(async () => {
  await system?.stop();
  bystander.kill('SIGKILL');
  removeFolders();
});

const addressOf = (name: string): string => `127.0.0.1:${system.processes.portsOf(name).grpc}`;

function processOf(name: string): RegisteredProcess {
  const found = listed(dataDir).find((entry) => entry.name === name);
  if (found === undefined) throw new Error(`${name} is not listed`);
  return found;
}

test('a process that merely reused one of our pids is left alone', () => {
  expect(said).toEqual([]);
  expect(identity !== undefined && isAlive(identity)).toBe(true);
});

test("endpoints left by a killed launcher disappear before the next system is up; then they are the new system's", () => {
  expect(JSON.parse(readFileSync(endpoints, 'utf8'))).toEqual({
    gateway: system.url,
    source: addressOf('source'),
    middle: addressOf('middle'),
  });
  expect(statSync(endpoints).mode & 0o777).toBe(0o600);
});

test("every process is listed, knows the others' addresses, and logs to a file", () => {
  const processes = listed(dataDir);
  expect(processes.map(({ name }) => name).sort()).toEqual(['edge', 'middle', 'postgres', 'redis', 'source']);
  expect(processes.filter(isAlive)).toEqual(processes);
  const edge = processOf('edge');
  const environment = environmentOfProcess(edge);
  expect(environment).toContain(`SOURCE_ADDRESS=${addressOf('source')}`);
  expect(environment).toContain(`PORT=${edge.ports['public']}`);
  for (const { name } of processes) expect(existsSync(join(dataDir, 'logs', `${name}.log`))).toBe(true);
  const targets = JSON.parse(readFileSync(join(dataDir, 'metrics-targets.json'), 'utf8')) as object[];
  const targetOf = (name: string) => ({ targets: [`127.0.0.1:${system.processes.portsOf(name).ops}`], labels: { process: name } });
  expect(targets).toEqual(['source', 'middle', 'edge'].map(targetOf));
});

test("only the process that signs packets gets the key's path", () => {
  const keysOf = (name: string) => environmentOfProcess(processOf(name)).filter((setting) => setting.startsWith('SIGNING_KEY_FILE='));
  expect(keysOf('middle')).toEqual([`SIGNING_KEY_FILE=${join(dataDir, 'signing-key.pem')}`]);
  expect([...keysOf('source'), ...keysOf('edge')]).toEqual([]);
});

test('a second launcher on the same data is rejected with a message', async () => {
  await expect(launch({ dataDir })).rejects.toThrow(`${dataDir} is in use by the launcher with pid ${process.pid}.`);
  expect(listed(dataDir)).toHaveLength(5);
});

test('a killed process is restarted on its port, with a message', async () => {
  const before = await (await fetch(system.url)).text();
  process.kill(Number(before), 'SIGKILL');
  const after = await seen('another process on the same port', async () => {
    const pid = await (await fetch(system.url)).text();
    return pid !== before && pid;
  });
  expect(system.processes.process('edge')).toMatchObject({ restarts: 1, pid: Number(after) });
  expect(said).toEqual(['edge exited (SIGKILL); restarting in 250 ms.']);
});

test('an additional process has its own ports but otherwise equals the first, and all stop in order, edge first', async () => {
  const { name, ...own } = await system.processes.startAnother('edge');
  expect(name).toBe('edge-2');
  const another = await seen('edge-2', () => listed(dataDir).find(({ name }) => name === 'edge-2'));
  const first = processOf('edge');
  expect(another.ports).toEqual(own);
  const settingsOf = (process: RegisteredProcess): string[] =>
    environmentOfProcess(process).filter((setting) => !/^(PORT|OPS_PORT)=/.test(setting));
  expect(settingsOf(another)).toEqual(settingsOf(first));
  expect(own.public).not.toBe(first.ports['public']);
  await seen('an answer of edge-2', async () => (await fetch(`http://127.0.0.1:${own.ops}`)).ok);

  const processes = listed(dataDir);
  expect(processes).toHaveLength(6);
  const expected = ['public', 'public', addressOf('middle'), addressOf('source')];
  await system.stop();
  expect(readFileSync(order, 'utf8').trim().split('\n')).toEqual(expected);
  await noneAlive(processes);
  for (const file of ['processes.json', 'endpoints.json', 'metrics-targets.json']) expect(existsSync(join(dataDir, file))).toBe(false);
});

test('a process that rejects its settings is not restarted: the start fails and names every invalid setting', async () => {
  said.splice(0);
  system = await launch({ dataDir, settings: { SETTING: 'faulty' }, say: (line) => said.push(line) });
  await expect(ready(system)).rejects.toThrow('edge rejects these settings.');
  expect(system.refused.aborted).toBe(true);
  expect(said).toEqual(['edge: configuration is not valid: SETTING: must be set; OTHER: must be set']);
  expect(system.processes.process('edge')).toMatchObject({ restarts: 0, pid: undefined });
});
