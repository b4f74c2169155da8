import { join } from 'node:path';
import { isAlive, openRegistry, type RegisteredProcess } from '../src/process/registry';
import { openRpcAccess } from '../src/rpc-access';
import { runProcesses, type RunningProcesses } from '../src/system/run-processes';
import { environmentOfProcess, listed, newFolder, removeFolders, placeholders } from './fixtures/placeholder-system';

const script = join(import.meta.dirname, 'fixtures', 'service.cjs');
const dataDir = newFolder();
let processes: RunningProcesses;

beforeAll(async () => {
  const { registry } = await openRegistry(dataDir);
  processes = await runProcesses(placeholders, {
    dataDir,
    registry,
    rpc: openRpcAccess(dataDir, undefined),
    stores: { postgresUrl: (database) => `postgresql://127.0.0.1:1/${database}`, redisUrl: 'redis://127.0.0.1:1' },
    publicPort: 0,
    settings: { SHARDS_FILE: '/shards' },
    shards: { middle: 2 },
    replicas: { source: 2 },
    scriptOf: () => script,
    say: () => undefined,
    onRefused: () => undefined,
  });
});
afterAll(async () => {
  await processes?.stop();
  removeFolders();
});

function settingsOf(wanted: string): string[] {
  const found = listed(dataDir).find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`${wanted} is not listed`);
  return environmentOfProcess(found);
}

test('each shard is its own process and knows its number, replicas are identical, and all get every address', async () => {
  expect(processes.names).toEqual(['source', 'source-2', 'middle', 'middle-2', 'edge']);
  const placesOf = (name: string): string[] => settingsOf(name).filter((setting) => /^(SHARDS?_|MIDDLE_|SOURCE_|GRPC_)/.test(setting));
  const addressesOf = (...names: readonly string[]) => names.map((name) => `127.0.0.1:${processes.portsOf(name).grpc}`);
  const [one, other] = addressesOf('middle', 'middle-2');
  const sources = addressesOf('source', 'source-2');
  const reported = [`MIDDLE_ADDRESS=${one},${other}`, `SOURCE_ADDRESS=${sources}`];
  const notInShards = [...reported, 'SHARDS_FILE='].sort();
  const settingsOfShard = (address: string | undefined, index: number) =>
    [`GRPC_ADDRESS=${address}`, ...reported, 'SHARDS_FILE=/shards', 'SHARD_COUNT=2', `SHARD_INDEX=${index}`].sort();
  expect(placesOf('middle')).toEqual(settingsOfShard(one, 0));
  expect(placesOf('middle-2')).toEqual(settingsOfShard(other, 1));
  expect(placesOf('source-2')).toEqual([`GRPC_ADDRESS=${sources[1]}`, ...notInShards]);
  expect(placesOf('edge')).toEqual(notInShards);
  const { grpc } = await processes.startAnother('middle');
  expect(placesOf('middle-3')).toEqual(settingsOfShard(`127.0.0.1:${grpc}`, 0));
  const all: RegisteredProcess[] = listed(dataDir);
  expect(all).toHaveLength(6);
  await processes.stop();
  expect(all.filter(isAlive)).toEqual([]);
});
