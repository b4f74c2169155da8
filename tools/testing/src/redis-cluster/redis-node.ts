import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { portIsFree, workspaceRoot } from '@market-state/launcher';
import Redis from 'ioredis';
import { endProcess, spawnOwned } from '../processes/own-process';

/** Its nodes talk to each other on the port that is so much higher. */
const BUS_PORT_AFTER = 10_000;
const PORTS = [12_000, 12_000 + BUS_PORT_AFTER] as const;

/** One node of a Redis Cluster, as `deploy/redis/cluster.conf` says; its data stays when it is killed. */
export interface RedisNode {
  readonly port: number;
  isRunning(): boolean;
  /** SIGKILL */
  kill(): Promise<void>;
  /** Starts it, again on the same port and data. */
  start(): Promise<void>;
  /** SIGSTOP: it says nothing, and its connections stay. */
  freeze(): void;
  /** SIGCONT */
  thaw(): void;
  /** What the work gives with a connection of its own. Rejects when the node does not answer for 5 s. */
  ask<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
}

export interface NodeSettings {
  readonly program: string;
  readonly folder: string;
  readonly password: string;
}

/** A node that is not started yet, on a free loopback port whose bus port is free too. */
export async function createNode({ program, folder, password }: NodeSettings): Promise<RedisNode> {
  const port = await portWithBus();
  const dir = join(folder, String(port));
  mkdirSync(dir);
  const settings: Readonly<Record<string, string | number>> = {
    port,
    bind: '127.0.0.1',
    dir,
    requirepass: password,
    masterauth: password,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let child: ChildProcess | undefined;
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;

  return {
    port,
    isRunning,
    async start() {
      child = spawnOwned(program, [join(workspaceRoot(), 'deploy', 'redis', 'cluster.conf'), ...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
        stopSignal: 'SIGKILL',
      });
      await untilReady(child);
    },
    async kill() {
      if (child !== undefined) await endProcess(child, 'SIGKILL');
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async ask(work) {
      const redis = new Redis({ port, password, protocol: 2, lazyConnect: true, retryStrategy: () => null, commandTimeout: 5_000 });
      redis.on('error', () => undefined);
      try {
        await redis.connect();
        return await work(redis);
      } finally {
        redis.disconnect();
      }
    },
  };
}

/** Below the ports that the system gives to whoever connects: none of both can be taken by a connection before the node listens. */
async function portWithBus(): Promise<number> {
  for (;;) {
    const port = randomInt(...PORTS);
    if ((await portIsFree(port)) && (await portIsFree(port + BUS_PORT_AFTER))) return port;
  }
}

async function untilReady({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('redis-server has no output');
  const said: string[] = [];
  for await (const chunk of stdout.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    said.push(chunk.toString('utf8'));
    if (chunk.includes('Ready to accept connections')) {
      stdout.resume();
      return;
    }
  }
  throw new Error(`redis-server did not start:\n${said.join('').slice(-2_000)}`);
}
