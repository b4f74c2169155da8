import { type System, waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { type RedisCluster, startRedisCluster, startSystem } from '@market-state/testing';
import { openOffice, type ProofContext, type Tenant } from '../harness';
import { type CertificateFolder, makeCertificateFolder } from '../mtls/certificate-folder';
import { startHaproxy } from './haproxy';

export const SYMBOL = 'BTCUSD-PERP';

const READY_MS_MAX = 180_000;
/** Faster than the clock: a packet is due every 3.3 s. */
const SPEED = '3';
const CREDITS = 10_000_000;

/** The system as it runs on several machines, on one: processes of the launcher's definitions, which call each other by mutual TLS. */
export interface ClusterScene {
  readonly cluster: RedisCluster;
  readonly system: System;
  /** Of the load balancer before two gateways. */
  readonly url: string;
  readonly tenant: Tenant;
  /** Who reads the stream of packets. */
  readonly streaming: Tenant;
  readonly certificates: CertificateFolder;
}

export async function openClusterScene({ closer, say }: ProofContext): Promise<ClusterScene> {
  const cluster = await startRedisCluster();
  closer.add('redis cluster', () => cluster.stop());
  const certificates = await makeCertificateFolder(closer);
  say('a Redis Cluster of six nodes is up; starting the system on it');
  const settings = {
    NODE_ENV: 'production',
    TLS_DIR: certificates.folder,
    FEED: 'recording',
    FEED_START: String(Date.now()),
    FEED_SPEED: SPEED,
    SYMBOLS: `${SYMBOL},ETHUSD-PERP`,
    GATEWAY_COUNT: '2',
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'error',
  };
  const system = await startSystem({ stores: { redisUrl: cluster.url }, settings }, READY_MS_MAX);
  closer.add('system', () => system.stop());
  const [first, second] = [system.processes.portsOf('gateway'), await system.processes.startAnother('gateway')];
  await waitForOk(`http://127.0.0.1:${second.public}/readyz`, timeLimit(READY_MS_MAX));
  const url = await startHaproxy(closer, [first.public ?? 0, second.public ?? 0], say);
  const office = openOffice(closer, `127.0.0.1:${system.processes.portsOf('account').grpc}`, system.rpc.identityOf('operator'));
  const [tenant, streaming] = [
    await office.tenant('readers of the cluster', 'enterprise', CREDITS),
    await office.tenant('a reader of its stream', 'enterprise', CREDITS),
  ];
  return { cluster, system, url, tenant, streaming, certificates };
}
