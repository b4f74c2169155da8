import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type System, waitForOk } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { type RedisCluster, startRedisCluster, startSystem, openFolder, openTenants, type Tenant } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import { type CertificateFolder, makeCertificateFolder } from '../certificate-folder';
import { balanceGateways } from './haproxy';

export const SYMBOL = 'BTCUSD-PERP';

export const SYMBOLS = [SYMBOL, 'ETHUSD-PERP'];

export interface ShardProcess {
  readonly process: string;
  readonly symbol: string;
}

export const SHARDED = ['labeling', 'data-plane-recorder'];

export const SHARD_PROCESSES: readonly ShardProcess[] = SHARDED.flatMap((name) =>
  SYMBOLS.map((symbol, index) => ({ process: index === 0 ? name : `${name}-${index + 1}`, symbol })),
);

const READY_MS_MAX = 180_000;
const SPEED = 3;
export const PACKET_MS = 10_000 / SPEED;
export const CREDITS = 10_000_000;

/**
 * A multi-machine system on one machine: processes from the launcher's definitions, calling each other over mutual TLS.
 */
export interface ClusterScene {
  readonly cluster: RedisCluster;
  readonly system: System;
  readonly url: string;
  readonly tenant: Tenant;
  readonly streaming: Tenant;
  readonly certificates: CertificateFolder;
}

/** Explicit assignment: the symbols' checksums would put both into one shard. */
function shardsFile(closer: Closer): string {
  const file = join(openFolder(closer), 'shards.json');
  writeFileSync(file, JSON.stringify(SYMBOLS.map((symbol) => [symbol])));
  return file;
}

export function marketSettings(closer: Closer): NodeJS.ProcessEnv {
  return {
    FEED: 'recording',
    FEED_START: String(Date.now()),
    FEED_SPEED: String(SPEED),
    SYMBOLS: SYMBOLS.join(),
    SHARDS_FILE: shardsFile(closer),
    GATEWAY_COUNT: '2',
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
}

export async function openClusterScene({ closer, say }: SuiteContext): Promise<ClusterScene> {
  const cluster = await startRedisCluster();
  closer.add('redis cluster', () => cluster.stop());
  const certificates = await makeCertificateFolder(closer);
  say('a Redis Cluster of six nodes is up; starting the system');
  const settings = { ...marketSettings(closer), NODE_ENV: 'production', TLS_DIR: certificates.folder };
  const shards = Object.fromEntries(SHARDED.map((name) => [name, SYMBOLS.length]));
  const system = await startSystem({ stores: { redisUrl: cluster.url }, settings, shards });
  closer.add('system', () => system.stop());
  const [first, second] = [system.processes.portsOf('gateway'), await system.processes.startAnother('gateway')];
  await waitForOk(`http://127.0.0.1:${second.public}/readyz`, timeLimit(READY_MS_MAX));
  const url = await balanceGateways(closer, [first.public ?? 0, second.public ?? 0], say);
  const tenants = openTenants(closer, `127.0.0.1:${system.processes.portsOf('account').grpc}`, system.rpc.identityOf('operator'));
  const [tenant, streaming] = [
    await tenants.create({ name: 'readers of the cluster', planId: 'enterprise', marketStateCredits: CREDITS }),
    await tenants.create({ name: 'a reader of its stream', planId: 'enterprise', marketStateCredits: CREDITS }),
  ];
  return { cluster, system, url, tenant, streaming, certificates };
}
