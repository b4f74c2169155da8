import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port';
import { openPasswords } from './passwords';
import { findRedisServer } from './redis-program';
import { superviseStore } from './store-context';
import type { RunningStore, StoreContext } from './store-context';

const stopTimeoutMs = 20_000;
/** Each caller of an ephemeral server gets a numbered database of its own. */
const ephemeralDatabases = 10_000;

/** A Redis (or Valkey) server of our own. */
export interface RunningRedis extends RunningStore {
  url: string;
}

/**
 * Starts Redis on a free loopback port with an append-only file under `<dataDir>/redis`, a password, and no eviction.
 * The password reaches it through a file that only its owner can read.
 */
export async function startRedis(context: StoreContext): Promise<RunningRedis> {
  const command = findRedisServer();
  const home = join(context.dataDir, 'redis');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const password = openPasswords(home)('redis');
  const port = await freePort();
  const config = join(home, 'redis.conf');
  writeFileSync(config, settings(home, port, password, context.ephemeral), { mode: 0o600 });
  const process = await superviseStore(
    context,
    { name: 'redis', command, args: [config], env: { LC_ALL: 'C' }, cwd: home, stopSignal: 'SIGTERM', stopTimeoutMs },
    port,
    { ready: /Ready to accept connections/ },
  );
  return { port, process, url: `redis://:${password}@127.0.0.1:${port}` };
}

function settings(home: string, port: number, password: string, ephemeral: boolean): string {
  const lines = [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `dir "${home}"`,
    'daemonize no',
    'supervised no',
    'save ""',
    'maxmemory-policy noeviction',
    ...(ephemeral ? ['appendonly no', `databases ${ephemeralDatabases}`] : ['appendonly yes', 'appendfsync everysec']),
  ];
  return `${lines.join('\n')}\n`;
}
