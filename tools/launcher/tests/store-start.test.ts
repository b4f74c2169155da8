import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRegistry, type Registry } from '../src/process/registry';
import { superviseStore } from '../src/stores/store-context';

const BUSY = 'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use';
const lines = { ready: /^ready$/, passing: /pre-existing shared memory block .* is still in use/ };

let dataDir: string;
let registry: Registry;

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'store-start-'));
  ({ registry } = await openRegistry(dataDir));
});

afterEach(() => {
  registry.close();
  rmSync(dataDir, { recursive: true });
});

/** A store that exits with the line on its first starts, and is ready on the third. */
function specOf(line: string) {
  const script = `
    const fs = require('node:fs');
    fs.appendFileSync('starts', 'x');
    if (fs.readFileSync('starts').length < 3) { console.log(${JSON.stringify(line)}); process.exit(1); }
    console.log('ready');
    setInterval(() => undefined, 1000);`;
  return {
    name: 'store',
    command: process.execPath,
    args: ['-e', script],
    env: {},
    cwd: dataDir,
    stopSignal: 'SIGTERM' as const,
    stopTimeoutMs: 5_000,
  };
}

function start(line: string) {
  return superviseStore({ dataDir, ephemeral: true, registry, say: () => undefined }, specOf(line), 1, lines);
}

test('a store with a transient start failure is restarted until it is ready', async () => {
  const store = await start(BUSY);
  expect(store.pid).toBeGreaterThan(0);
  await store.stop();
});

test('a store with another start failure is given up, with its last lines', async () => {
  await expect(start('FATAL:  could not open the cluster')).rejects.toThrow('could not open the cluster');
});
