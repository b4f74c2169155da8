import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type System, waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { startRedisCluster, startSystem, openFolder, openTenants } from '@market-state/testing';
import type { SuiteContext } from '../../harness';
import { makeCertificateFolder } from '../../certificate-folder';
import { openReceivers, type Receivers } from '../../webhooks/receivers';
import { balanceGateways } from '../haproxy';
import { CREDITS, type ClusterScene, marketSettings, SHARDED, SYMBOLS } from '../scene';
import { type PostgresPair, startPostgresPair } from './postgres-pair';

const READY_MS_MAX = 240_000;

/** Processes that run twice, each able to take over from the other. */
const TWICE = [
  'account',
  'data-plane',
  'data-plane-feed',
  'export',
  'export-worker',
  'webhook',
  'webhook-evaluator',
  'webhook-worker',
  'gateway',
];

/** The system with two of everything except the load balancers. */
export interface WholeScene extends ClusterScene {
  readonly pair: PostgresPair;
  readonly receivers: Receivers;
}

export async function openWholeScene(context: SuiteContext): Promise<WholeScene> {
  const { closer, say, random } = context;
  const pair = await startPostgresPair(closer, say);
  const cluster = await startRedisCluster();
  closer.add('redis cluster', () => cluster.stop());
  const certificates = await makeCertificateFolder(closer);
  const receivers = await openReceivers(closer, 0, random);
  const receiversFile = join(openFolder(closer), 'receivers.pem');
  writeFileSync(receiversFile, receivers.ca);
  say('a PostgreSQL pair and a Redis Cluster of six nodes are up; starting the system');
  const settings = {
    ...marketSettings(closer),
    TLS_DIR: certificates.folder,
    // In production no message is sent to this machine's own addresses.
    WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: receiversFile,
  };
  const stores = { redisUrl: cluster.url, databaseUrl: pair.url };
  const system = await startSystem({ stores, settings, shards: eachOf(SHARDED), replicas: eachOf(TWICE) });
  closer.add('system', () => system.stop());
  await wholeSystem(system);
  const gateways = system.processes.names.filter((name) => name.startsWith('gateway'));
  const url = await balanceGateways(
    closer,
    gateways.map((name) => system.processes.portsOf(name).public ?? 0),
    say,
  );
  const tenants = openTenants(closer, `127.0.0.1:${system.processes.portsOf('account').grpc}`, system.rpc.identityOf('operator'));
  const [tenant, streaming] = [
    await tenants.create({ name: 'readers of the cluster', planId: 'enterprise', marketStateCredits: CREDITS }),
    await tenants.create({ name: 'a reader of its stream', planId: 'enterprise', marketStateCredits: CREDITS }),
  ];
  return { pair, cluster, system, url, tenant, streaming, certificates, receivers };
}

function eachOf(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, SYMBOLS.length]));
}

/** Waits until every process is ready. @returns the process that became ready last @throws Error after 240 s */
export async function wholeSystem({ processes }: System): Promise<string> {
  const signal = timeLimit(READY_MS_MAX);
  let last = '';
  async function ready(name: string): Promise<void> {
    await waitForOk(`http://127.0.0.1:${processes.portsOf(name).ops}/readyz`, signal);
    last = name;
  }
  await Promise.all(processes.names.map(ready));
  return last;
}
