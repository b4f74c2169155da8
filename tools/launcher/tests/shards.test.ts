import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeLimit } from '@market-state/lifecycle';
import { isAlive } from '../src/process/identity';
import { readProcessList, type RegisteredProcess } from '../src/process/registry';
import { startStores } from '../src/stores/start-stores';
import { launchSystem } from '../src/system/start-system';
import { placeholders } from './fixtures/placeholders';

const script = join(__dirname, 'fixtures', 'service.cjs');

test('each shard is a process of its own that is told which one it is, replicas are alike, and all are told where every one is', async () => {
  const given = await startStores();
  const stores = { databaseUrl: given.adminUrl, redisUrl: given.redisUrl };
  const system = await launchSystem(
    { stores, settings: { SHARDS_FILE: '/shards' }, shards: { middle: 2 }, replicas: { source: 2 } },
    placeholders,
    () => script,
  );
  try {
    await system.ready(timeLimit(30_000));
    expect(system.processes.names).toEqual(['source', 'source-2', 'middle', 'middle-2', 'edge']);
    const listed = (): RegisteredProcess[] => readProcessList(system.dataDir)?.processes ?? [];
    const settingsOf = (wanted: string): string[] => {
      const pid = listed().find(({ name }) => name === wanted)?.pid;
      const settings = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return settings.filter((setting) => /^(SHARDS?_|MIDDLE_|SOURCE_|GRPC_)/.test(setting)).sort();
    };
    const addressesOf = (...names: readonly string[]) => names.map((name) => `127.0.0.1:${system.processes.portsOf(name).grpc}`);
    const [one, other] = addressesOf('middle', 'middle-2');
    const sources = addressesOf('source', 'source-2');
    const told = [`MIDDLE_ADDRESS=${one},${other}`, `SOURCE_ADDRESS=${sources}`];
    const notInShards = [...told, 'SHARDS_FILE='].sort();
    const settingsOfShard = (address: string | undefined, index: number) =>
      [`GRPC_ADDRESS=${address}`, ...told, 'SHARDS_FILE=/shards', 'SHARD_COUNT=2', `SHARD_INDEX=${index}`].sort();
    expect(settingsOf('middle')).toEqual(settingsOfShard(one, 0));
    expect(settingsOf('middle-2')).toEqual(settingsOfShard(other, 1));
    expect(settingsOf('source-2')).toEqual([`GRPC_ADDRESS=${sources[1]}`, ...notInShards]);
    expect(settingsOf('edge')).toEqual(notInShards);
    const { grpc } = await system.processes.startAnother('middle');
    expect(settingsOf('middle-3')).toEqual(settingsOfShard(`127.0.0.1:${grpc}`, 0));
    const processes = listed();
    await system.stop();
    expect(processes.filter(isAlive)).toEqual([]);
  } finally {
    await system.stop();
    await given.stop();
  }
});
