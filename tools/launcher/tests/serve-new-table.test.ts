import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeLimit } from '@market-state/lifecycle';
import type { ProcessDefinition } from '../src/services';
import { serveNewTable } from '../src/system/serve-new-table';
import { launchSystem, type System } from '../src/system/start-system';
import { newFolder, ready, removeFolders } from './fixtures/placeholder-system';

const processes: readonly ProcessDefinition[] = ['data-plane-feed', 'data-plane-recorder', 'data-plane', 'labeling', 'gateway'].map(
  (name) => ({
    name,
    addressVariable: `${name.replaceAll('-', '_').toUpperCase()}_ADDRESS`,
    stopStage: 0,
  }),
);
const order = join(newFolder(), 'order');
let onLine: (line: string) => void = () => undefined;
let system: System;

beforeAll(async () => {
  const script = join(import.meta.dirname, 'fixtures/service.cjs');
  const options = { dataDir: newFolder(), settings: { ORDER_FILE: order }, say: (line: string) => onLine(line) };
  system = await launchSystem(options, processes, () => script);
  await ready(system);
});
afterAll(async () => {
  await system?.stop();
  removeFolders();
});

/** Names of the stopped processes, in order; a second feed has an unlisted address. */
function stopped(): readonly string[] {
  const names = new Map(system.processes.names.map((name) => [`127.0.0.1:${system.processes.portsOf(name).grpc}`, name]));
  return readFileSync(order, 'utf8')
    .trimEnd()
    .split('\n')
    .map((address) => names.get(address) ?? 'a second feed');
}

test('the followers of the logs restart before the feed, which a second one covers; a process that has just crashed is awaited', async () => {
  const crashed = new Promise<void>((resolve) => {
    onLine = (line) => line.startsWith('labeling exited') && resolve();
  });
  const before = system.processes.signal('labeling', 'SIGKILL');
  await crashed;
  await serveNewTable(system.processes, timeLimit(240_000));
  expect(system.processes.process('labeling').pid).not.toBe(before);
  await serveNewTable(system.processes, timeLimit(240_000));
  const restarted = ['data-plane-recorder', 'data-plane', 'data-plane-feed', 'a second feed'];
  expect(stopped()).toEqual([...restarted, 'labeling', ...restarted]);
});
