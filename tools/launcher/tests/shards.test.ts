import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { timeLimit } from '@market-state/lifecycle';
import { isAlive } from '../src/process/identity';
import { readProcessList, type RegisteredProcess } from '../src/process/registry';
import { startStores } from '../src/stores/start-stores';
import { launchSystem } from '../src/system/start-system';
import { placeholders } from './fixtures/placeholders';

const script = join(__dirname, 'fixtures', 'service.cjs');

test('each shard is a process of its own that is told which one it is, and all are told where every one is', async () => {
  const given = await startStores();
  const stores = { databaseUrl: given.adminUrl, redisUrl: given.redisUrl };
  const system = await launchSystem({ stores, shards: { middle: 2 } }, placeholders, () => script);
  try {
    await system.ready(timeLimit(30_000));
    expect(system.processes.names).toEqual(['source', 'middle', 'middle-2', 'edge']);
    const listed = (): RegisteredProcess[] => readProcessList(system.dataDir)?.processes ?? [];
    const settingsOf = (wanted: string): string[] => {
      const pid = listed().find(({ name }) => name === wanted)?.pid;
      const settings = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return settings.filter((setting) => /^(SHARD_|MIDDLE_|GRPC_)/.test(setting)).sort();
    };
    const [one, other] = ['middle', 'middle-2'].map((name) => `127.0.0.1:${system.processes.portsOf(name).grpc}`);
    const both = `MIDDLE_ADDRESS=${one},${other}`;
    expect(settingsOf('middle')).toEqual([`GRPC_ADDRESS=${one}`, both, 'SHARD_COUNT=2', 'SHARD_INDEX=0']);
    expect(settingsOf('middle-2')).toEqual([`GRPC_ADDRESS=${other}`, both, 'SHARD_COUNT=2', 'SHARD_INDEX=1']);
    expect(settingsOf('edge')).toEqual([both]);
    const { grpc } = await system.processes.startAnother('middle');
    expect(settingsOf('middle-3')).toEqual([`GRPC_ADDRESS=127.0.0.1:${grpc}`, both, 'SHARD_COUNT=2', 'SHARD_INDEX=0']);
    const processes = listed();
    await system.stop();
    expect(processes.filter(isAlive)).toEqual([]);
  } finally {
    await system.stop();
    await given.stop();
  }
});
