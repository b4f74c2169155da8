import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { webhook } from '@market-state/contracts';
import { createClient, type GrpcClient } from '@market-state/grpc';
import { ownInstallation, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { type KillableProcess, openFolder, openTenants, startAccountProcess, startProcess } from '@market-state/testing';
import { parseSealingKeys, type SealingKey } from '@market-state/webhook-signing';
import type { Receivers } from './receivers';

const DEADLINE_MS = 60_000;
const CREDITS = 1_000_000;
export const WORKERS = 2;

export interface LiveEndpoint {
  readonly name: string;
  readonly tenantId: string;
  readonly endpointId: string;
}

export interface DeliverySystem {
  readonly calls: GrpcClient<webhook.EndpointServiceService>['call'];
  readonly workers: readonly KillableProcess[];
  readonly endpoints: readonly LiveEndpoint[];
  readonly tenantIds: readonly string[];
  readonly sealingKeys: readonly SealingKey[];
}

export interface DeliverySettings {
  readonly stores: Stores;
  readonly receivers: Receivers;
  readonly tenants: number;
  readonly endpoints: number;
  readonly worker: 'webhook-worker' | 'verify-hurried-deliveries';
}

/** Starts the shipped services, with faster workers if requested, and tests every endpoint until live. */
export async function openDeliverySystem(closer: Closer, settings: DeliverySettings): Promise<DeliverySystem> {
  const { stores, receivers } = settings;
  const caFile = join(openFolder(closer), 'receivers.pem');
  writeFileSync(caFile, receivers.ca);
  const account = await startAccountProcess(closer, stores.postgresUrl('account'));
  const webhookKeys = `one:${randomBytes(32).toString('base64')}`;
  const env = {
    DATABASE_URL: stores.postgresUrl('webhook'),
    REDIS_URL: stores.redisUrl,
    WEBHOOK_KEYS: webhookKeys,
    WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8',
    WEBHOOK_TEST_CA_FILE: caFile,
  };
  const service = await startProcess(closer, 'webhook', {
    ...env,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('webhook'),
    // Rehearsals are not used here.
    LABELING_ADDRESS: '127.0.0.1:1',
    DATA_PLANE_ADDRESS: '127.0.0.1:1',
  });
  const workerEnv = {
    ...env,
    RPC_TOKEN_FILE: ownInstallation().writeTokenFile('webhook-worker'),
    ACCOUNT_ADDRESS: account.address,
  };
  const workers: KillableProcess[] = [];
  while (workers.length < WORKERS) workers.push(await startProcess(closer, settings.worker, workerEnv));
  await Promise.all([account, service, ...workers].map(({ ready }) => ready()));
  const tenants = openTenants(closer, account.address);
  const client = createClient({
    definition: webhook.EndpointServiceService,
    address: service.address,
    peer: ownInstallation().peer('webhook'),
    deadlineMs: DEADLINE_MS,
  });
  closer.add('client', () => client.close());
  const tenantIds: string[] = [];
  while (tenantIds.length < settings.tenants) {
    const order = { name: `tenant ${tenantIds.length + 1}`, planId: 'enterprise', marketStateCredits: CREDITS } as const;
    tenantIds.push((await tenants.create(order)).tenantId);
  }
  const named = tenantIds.flatMap((tenantId) =>
    Array.from({ length: settings.endpoints }, (_, at) => ({ tenantId, name: `${tenantId}-${at}` })),
  );
  const endpoints = await Promise.all(named.map((endpoint) => bringLive(client.call, receivers, endpoint)));
  return { calls: client.call, workers, endpoints, tenantIds, sealingKeys: parseSealingKeys(webhookKeys).keys };
}

async function bringLive(
  calls: DeliverySystem['calls'],
  receivers: Receivers,
  { tenantId, name }: Omit<LiveEndpoint, 'endpointId'>,
): Promise<LiveEndpoint> {
  const created = await calls.createEndpoint({
    tenantId,
    planId: 'enterprise',
    operationId: `op_${name}`,
    url: receivers.urlOf(name),
    description: '',
    eventKinds: ['export.finished', 'endpoint.disabled', 'message.exhausted'],
    symbols: [],
    kind: webhook.EndpointKind.WEBHOOK,
    email: '',
    botToken: '',
    chatId: '',
    routingKey: '',
    digestMinutes: 0,
  });
  const endpoint = { tenantId, name, endpointId: created.endpoint?.endpointId ?? '' };
  receivers.know(name, endpoint.endpointId, created.secret);
  await testUntilLive(calls, endpoint);
  return endpoint;
}

/** @throws Error if the test does not get a 2xx */
export async function testUntilLive(calls: DeliverySystem['calls'], { tenantId, endpointId, name }: LiveEndpoint): Promise<void> {
  const { endpoint } = await calls.testEndpoint({ tenantId, endpointId });
  if (endpoint?.status !== webhook.EndpointStatus.LIVE)
    throw new Error(`The test of ${name} did not make it live: its status is ${endpoint?.status}.`);
}
