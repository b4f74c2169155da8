import { webhook } from '@market-state/contracts';
import { failedPrecondition, invalidArgument, resourceExhausted } from '@market-state/errors';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { limitsOf } from '@market-state/pricing';
import { idFaults, rangeFaults, refuseFaults } from '@market-state/request-checks';
import { checkDestination, destinationOf, type EndpointKind } from '../endpoints/destination';
import {
  descriptionFaults,
  type Endpoint,
  type EndpointDeps,
  type EndpointStatus,
  eventKindFaults,
  symbolListFaults,
} from '../endpoints/endpoint';
import { requireEndpoint, requireLocked } from '../endpoints/require-endpoint';
import { notifyEvaluators, subscribe } from '../endpoints/subscriptions';
import { newId } from '../ids';
import { endWaiting, readStandings } from '../store/endpoint-health';
import {
  countEndpoints,
  findEndpointOfOperation,
  insertEndpoint,
  listEndpoints as list,
  lockTenantEndpoints,
  type NewEndpoint,
  removeEndpoint,
} from '../store/endpoints';
import { listSecrets } from '../store/secrets';
import { operationFaults, pageOf } from './request-faults';

const STATUSES: Readonly<Record<EndpointStatus, webhook.EndpointStatus>> = {
  test_pending: webhook.EndpointStatus.TEST_PENDING,
  live: webhook.EndpointStatus.LIVE,
  disabled: webhook.EndpointStatus.DISABLED,
};

type ShowDeps = Pick<EndpointDeps, 'pool' | 'targets' | 'clock'>;

/** Endpoints with their backlog and metadata of their secrets, never the secrets. */
async function showEndpoints({ pool, targets, clock }: ShowDeps, endpoints: readonly Endpoint[]): Promise<webhook.Endpoint[]> {
  const nowMs = clock();
  const ids = endpoints.map(({ endpointId }) => endpointId);
  const [secrets, standings] = await Promise.all([listSecrets(pool, ids, nowMs), readStandings(pool, ids)]);
  return endpoints.map((endpoint) => {
    const standing = standings.find(({ endpointId }) => endpointId === endpoint.endpointId);
    const breakerUntilMs = standing?.breakerUntilMs ?? 0;
    return {
      endpointId: endpoint.endpointId,
      kind: PROTO_KINDS[endpoint.kind],
      url: endpoint.url,
      chatId: endpoint.chatId,
      digestMinutes: endpoint.digestMinutes,
      confirmedMs: endpoint.confirmedMs ?? 0,
      description: endpoint.description,
      eventKinds: [...endpoint.eventKinds],
      symbols: [...endpoint.symbols],
      status: STATUSES[endpoint.status],
      disabledReason: endpoint.disabledReason,
      createdMs: endpoint.createdMs,
      updatedMs: endpoint.updatedMs,
      secrets: secrets
        .filter(({ endpointId }) => endpointId === endpoint.endpointId && endpoint.kind === 'webhook')
        .map(({ secretId, createdMs, expiresMs }) => ({ secretId, createdMs, expiresMs: expiresMs ?? 0 })),
      lastSuccessMs: endpoint.lastSuccessMs ?? 0,
      failingSinceMs: endpoint.failingSinceMs ?? 0,
      waiting: standing?.waiting ?? 0,
      breakerOpenUntilMs: breakerUntilMs > nowMs ? breakerUntilMs : 0,
      testTarget: targets.isTestTarget(endpoint.url),
    };
  });
}

export async function showEndpoint(deps: ShowDeps, endpoint: Endpoint): Promise<webhook.Endpoint> {
  const [shown] = await showEndpoints(deps, [endpoint]);
  if (shown === undefined) throw new Error('an endpoint was not returned');
  return shown;
}

export async function getEndpoint(deps: EndpointDeps, request: webhook.GetEndpointRequest): Promise<webhook.GetEndpointResponse> {
  const { tenantId, endpointId } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  return { endpoint: await showEndpoint(deps, await requireEndpoint(deps.pool, tenantId, endpointId)) };
}

export async function listEndpoints(deps: EndpointDeps, request: webhook.ListEndpointsRequest): Promise<webhook.ListEndpointsResponse> {
  const { tenantId } = request;
  const { page, nextPageToken } = await pageOf(
    ['e1', tenantId],
    request,
    idFaults('tenant_id', tenantId),
    (of) => list(deps.pool, tenantId, of),
    ({ createdMs, endpointId }) => ({ atMs: createdMs, id: endpointId }),
  );
  return { endpoints: await showEndpoints(deps, page), nextPageToken };
}

/** Pending deliveries are dropped; receipts stay. */
export async function deleteEndpoint(deps: EndpointDeps, request: webhook.DeleteEndpointRequest): Promise<webhook.DeleteEndpointResponse> {
  const { pool, clock, logger } = deps;
  const { tenantId, endpointId } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const endpoint = await showEndpoint(deps, await requireEndpoint(pool, tenantId, endpointId));
  await inTransaction(pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    await notifyEvaluators(client, await requireEndpoint(client, tenantId, endpointId));
    await requireLocked(client, tenantId, endpointId);
    await endWaiting(client, endpointId, { status: 'endpoint_deleted', nowMs: clock() });
    await removeEndpoint(client, endpointId);
  });
  logger.info({ tenant_id: tenantId, endpoint_id: endpointId }, 'webhook endpoint deleted');
  return { endpoint };
}

const GRACE_HOURS_MAX = 168;
const HOUR_MS = 3_600_000;

/** The new secret is returned only here; previous ones also sign for some hours. */
export async function rotateSecret(deps: EndpointDeps, request: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> {
  const { pool, secrets, clock, logger } = deps;
  const { tenantId, endpointId, graceHours, operationId } = request;
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('endpoint_id', endpointId),
    rangeFaults('grace_hours', graceHours, 0, GRACE_HOURS_MAX),
    operationFaults(operationId),
  );
  const nowMs = clock();
  const { endpoint, secret, secretId } = await inTransaction(pool, async (client) => {
    const locked = await requireLocked(client, tenantId, endpointId);
    if (locked.kind !== 'webhook') throw failedPrecondition('no_signing_secret', 'Only webhooks have a signing secret.');
    return {
      endpoint: locked,
      ...(await secrets.rotate(client, endpointId, { nowMs, untilMs: nowMs + graceHours * HOUR_MS, operationId })),
    };
  });
  const fields = { tenant_id: tenantId, endpoint_id: endpointId, secret_id: secretId, grace_hours: graceHours };
  logger.info(fields, 'webhook secret rotated');
  return { endpoint: await showEndpoint(deps, endpoint), secret };
}

export async function resealSecrets({ pool, secrets, logger }: EndpointDeps): Promise<webhook.ResealSecretsResponse> {
  const done = await secrets.resealAll(pool);
  const { keyId, resealed, unreadable } = done;
  logger.info({ key_id: keyId, resealed, unreadable }, 'webhook secrets resealed');
  return done;
}

const { EndpointKind: Proto } = webhook;

const PROTO_KINDS: Readonly<Record<EndpointKind, webhook.EndpointKind>> = {
  webhook: Proto.WEBHOOK,
  slack: Proto.SLACK,
  discord: Proto.DISCORD,
  telegram: Proto.TELEGRAM,
  pagerduty: Proto.PAGERDUTY,
  email: Proto.EMAIL,
};

/** Requests of the previous release have no kind: they mean a webhook. */
function fromProtoKind(kind: webhook.EndpointKind): EndpointKind {
  if (kind === Proto.UNSPECIFIED) return 'webhook';
  for (const [name, value] of Object.entries(PROTO_KINDS)) if (value === kind) return name as EndpointKind;
  throw invalidArgument([{ field: 'kind', message: 'must be a kind of endpoint', type: 'unsupported' }]);
}

export async function createEndpoint(deps: EndpointDeps, request: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> {
  const { tenantId, planId, operationId, description, eventKinds, symbols } = request;
  const kind = fromProtoKind(request.kind);
  const checked = await checkDestination(deps.targets, kind, request, true);
  refuseFaults(
    idFaults('tenant_id', tenantId),
    idFaults('plan_id', planId),
    idFaults('operation_id', operationId),
    eventKindFaults(eventKinds),
    symbolListFaults(symbols),
    descriptionFaults(description),
    checked.faults,
  );
  const { url = '', chatId = '', digestMinutes = 0, credential } = destinationOf(checked);
  const { endpoint, secret } = await insertWithSecret(
    deps,
    { tenantId, planId, operationId, kind, url, chatId, digestMinutes, description, eventKinds, symbols },
    credential,
  );
  return { endpoint: await showEndpoint(deps, endpoint), secret };
}

type EndpointOrder = Omit<NewEndpoint, 'endpointId' | 'createdMs'>;

/** The signing secret of a webhook is returned only here; empty if an earlier try created the endpoint. */
interface CreatedEndpoint {
  readonly endpoint: Endpoint;
  readonly secret: string;
}

/** @throws ServiceError `too_many_endpoints` */
async function insertWithSecret(deps: EndpointDeps, order: EndpointOrder, credential: string | undefined): Promise<CreatedEndpoint> {
  const { pool, secrets, clock, logger } = deps;
  const { tenantId, operationId } = order;
  const nowMs = clock();
  const created = await inTransaction(pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    const earlier = await findEndpointOfOperation(client, tenantId, operationId);
    if (earlier !== undefined) return { endpoint: earlier, secret: '', secretId: '', isNew: false };
    await refuseTooMany(client, order);
    const endpointId = newId('we');
    await insertEndpoint(client, { ...order, endpointId, createdMs: nowMs });
    const added = order.kind === 'webhook' ? await secrets.add(client, endpointId, nowMs) : { secret: '', secretId: '' };
    if (credential !== undefined) await secrets.replaceCredential(client, endpointId, credential, nowMs);
    const endpoint = await requireLocked(client, tenantId, endpointId);
    await subscribe(client, endpoint);
    await notifyEvaluators(client, endpoint);
    return { endpoint, ...added, isNew: true };
  });
  if (created.isNew) {
    const { endpointId, kind } = created.endpoint;
    logger.info({ tenant_id: tenantId, endpoint_id: endpointId, kind, secret_id: created.secretId }, 'webhook endpoint created');
  }
  return created;
}

async function refuseTooMany(on: Queryable, { tenantId, planId }: EndpointOrder): Promise<void> {
  const most = limitsOf(planId).webhookEndpoints;
  if ((await countEndpoints(on, tenantId)) < most) return;
  throw resourceExhausted('too_many_endpoints', `The plan allows ${most} webhook endpoints, and all are in use. Delete one first.`, {
    metadata: { limit: String(most) },
  });
}
