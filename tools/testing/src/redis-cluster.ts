import type { ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer, redisServerOnPath, takeTemporaryFolder, portIsFree, workspaceRoot } from '@market-state/launcher';
import Redis from 'ioredis';
import { waitUntil } from './wait-until';
import { endProcess, spawnOwned } from './processes/start-process';

const BUS_PORT_AFTER = 10_000;
const PORTS = [12_000, 12_000 + BUS_PORT_AFTER] as const;

/** A Redis Cluster node configured as in `deploy/redis/cluster.conf`; a kill keeps its data. */
interface RedisNode {
  readonly port: number;
  isRunning(): boolean;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** SIGSTOP: it does not answer, and its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Runs work on its own connection. Rejects after 5 s without an answer. */
  ask<T>(work: (redis: Redis) => Promise<T>): Promise<T>;
}

interface NodeSettings {
  readonly program: string;
  readonly folder: string;
  readonly password: string;
}

async function createNode({ program, folder, password }: NodeSettings): Promise<RedisNode> {
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

/** Below the ephemeral port range, so that no outgoing connection takes either port first. */
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

/** False if a Redis Cluster would need an installation first. */
export const hasRedisServer = redisServerOnPath() !== undefined;

/** A private Redis Cluster: three primaries with one replica each. */
export interface RedisCluster {
  readonly url: string;
  readonly nodes: readonly RedisNode[];
  primaryOf(key: string): Promise<RedisNode>;
  replicasOf(primary: RedisNode): Promise<readonly RedisNode[]>;
  /** They stay in the cluster but receive no further writes. @returns a function that reconnects them */
  cutReplicas(primary: RedisNode): Promise<() => Promise<void>>;
  moveSlotOf(key: string): Promise<void>;
  /** Resolves when every slot has a primary and an up-to-date replica. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

const PRIMARIES = 3;
const SLOTS = 16_384;
const PASSWORD = 'secret of the cluster';

export async function startRedisCluster(): Promise<RedisCluster> {
  const program = findRedisServer();
  const folder = takeTemporaryFolder();
  const settings = { program, folder: folder.path, password: PASSWORD };
  const nodes: RedisNode[] = [];
  for (let at = 0; at < 2 * PRIMARIES; at += 1) nodes.push(await createNode(settings));

  async function stop(): Promise<void> {
    await Promise.all(nodes.map((node) => node.kill()));
    folder.remove();
  }

  const cluster = {
    url: `redis-cluster://:${encodeURIComponent(PASSWORD)}@${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes,
    primaryOf: (key: string) => primaryOf(nodes, key),
    replicasOf: (primary: RedisNode) => replicasOf(nodes, primary),
    cutReplicas: (primary: RedisNode) => cutReplicas(nodes, primary),
    moveSlotOf: (key: string) => moveSlotOf(nodes, key),
    whole: () => whole(nodes),
    stop,
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
    await joinNodes(nodes);
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function joinNodes(nodes: readonly RedisNode[]): Promise<void> {
  const [first, ...others] = nodes;
  if (first === undefined) return;
  await Promise.all(
    nodes.map(async (node, index) => {
      await node.ask((redis) => redis.cluster('SET-CONFIG-EPOCH', index + 1));
      if (index < PRIMARIES) await node.ask((redis) => redis.cluster('ADDSLOTS', ...slotsOf(index)));
    }),
  );
  await first.ask((redis) => Promise.all(others.map(({ port }) => redis.cluster('MEET', '127.0.0.1', port))));
  await waitUntil('all nodes know each other', async () =>
    (await Promise.all(nodes.map(knownTo))).every((known) => known === nodes.length),
  );
  const ids = await Promise.all(nodes.map((node) => node.ask((redis) => redis.cluster('MYID'))));
  await Promise.all(nodes.slice(PRIMARIES).map((node, index) => node.ask((redis) => redis.cluster('REPLICATE', String(ids[index])))));
  await whole(nodes);
}

function slotsOf(primary: number): number[] {
  const [from, to] = [Math.ceil((SLOTS * primary) / PRIMARIES), Math.ceil((SLOTS * (primary + 1)) / PRIMARIES)];
  return Array.from({ length: to - from }, (_, index) => from + index);
}

async function knownTo(node: RedisNode): Promise<number> {
  const lines = String(await node.ask((redis) => redis.cluster('NODES')))
    .trimEnd()
    .split('\n');
  return lines.filter((line) => !/handshake|noaddr/.test(line)).length;
}

interface SlotRange {
  readonly from: number;
  readonly to: number;
  /** The primary first. */
  readonly ports: readonly number[];
}

async function slotRanges(nodes: readonly RedisNode[]): Promise<SlotRange[]> {
  const requested = nodes.find((node) => node.isRunning());
  if (requested === undefined) throw new Error('no node runs');
  const ranges = await requested.ask((redis) => redis.cluster('SLOTS'));
  return ranges.map(([from, to, ...servers]) => ({ from, to, ports: servers.map(([, port]) => port) }));
}

async function slotOf(nodes: readonly RedisNode[], key: string): Promise<number> {
  const [node] = nodes.filter((each) => each.isRunning());
  if (node === undefined) throw new Error('no node runs');
  return node.ask((redis) => redis.cluster('KEYSLOT', key));
}

async function primaryOf(nodes: readonly RedisNode[], key: string): Promise<RedisNode> {
  const slot = await slotOf(nodes, key);
  const range = (await slotRanges(nodes)).find(({ from, to }) => from <= slot && slot <= to);
  return nodeAt(nodes, range?.ports[0]);
}

function nodeAt(nodes: readonly RedisNode[], port: number | undefined): RedisNode {
  const node = nodes.find((each) => each.port === port);
  if (node === undefined) throw new Error(`no node of the cluster has port ${port}`);
  return node;
}

async function replicasOf(nodes: readonly RedisNode[], primary: RedisNode): Promise<RedisNode[]> {
  const replication = await primary.ask((redis) => redis.info('replication'));
  return [...replication.matchAll(/^slave\d+:ip=[^,]+,port=(\d+)/gm)].map(([, port]) => nodeAt(nodes, Number(port)));
}

async function cutReplicas(nodes: readonly RedisNode[], primary: RedisNode): Promise<() => Promise<void>> {
  const replicas = await waitUntil('a replica of the primary', async () => {
    const found = await replicasOf(nodes, primary);
    return found.length > 0 && found;
  });
  const report = (password: string): Promise<unknown> =>
    Promise.all(replicas.map((replica) => replica.ask((redis) => redis.config('SET', 'masterauth', password))));
  await report('another password');
  await primary.ask((redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'replica'));
  await waitUntil('the primary has no replica', async () => (await replicasOf(nodes, primary)).length === 0);
  return async () => {
    await report(PASSWORD);
  };
}

async function moveSlotOf(nodes: readonly RedisNode[], key: string): Promise<void> {
  const slot = await slotOf(nodes, key);
  const from = await primaryOf(nodes, key);
  const primaries = [...new Set((await slotRanges(nodes)).map(({ ports }) => nodeAt(nodes, ports[0])))];
  const to = primaries.find((node) => node !== from);
  if (to === undefined) throw new Error('no other primary runs');
  const [fromId, toId] = [await from.ask((redis) => redis.cluster('MYID')), await to.ask((redis) => redis.cluster('MYID'))];
  await to.ask((redis) => redis.cluster('SETSLOT', slot, 'IMPORTING', String(fromId)));
  await from.ask((redis) => redis.cluster('SETSLOT', slot, 'MIGRATING', String(toId)));
  await from.ask(async (redis) => {
    const keys = await redis.cluster('GETKEYSINSLOT', slot, 1_000);
    if (keys.length > 0) await redis.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'AUTH', PASSWORD, 'KEYS', ...keys);
  });
  for (const node of [to, from, ...primaries.filter((each) => each !== from && each !== to)])
    await node.ask((redis) => redis.cluster('SETSLOT', slot, 'NODE', String(toId)));
}

async function whole(nodes: readonly RedisNode[]): Promise<void> {
  async function isWhole(node: RedisNode): Promise<boolean> {
    const [state, replication] = await node.ask((redis) => Promise.all([redis.cluster('INFO'), redis.info('replication')]));
    if (!String(state).includes('cluster_state:ok') || !String(state).includes(`cluster_slots_ok:${SLOTS}`)) return false;
    return replication.includes('role:master')
      ? /slave\d+:.*state=online/.test(replication)
      : replication.includes('master_link_status:up') && !replication.includes('master_sync_in_progress:1');
  }
  await waitUntil('every slot has a primary and a replica', async () => (await Promise.all(nodes.map(isWhole))).every(Boolean));
}
