import type { webhook } from '@market-state/contracts';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import { checkDestination, type Destination, destinationOf } from '../endpoints/destination';
import {
  descriptionFaults,
  type DisabledReason,
  type Endpoint,
  type EndpointDeps,
  eventKindFaults,
  symbolListFaults,
} from '../endpoints/endpoint';
import { requireEndpoint, requireLocked } from '../endpoints/require-endpoint';
import { subscribe, notifyEvaluators } from '../endpoints/subscriptions';
import { endWaiting } from '../store/endpoint-health';
import { changeEndpoint, lockTenantEndpoints, setStatus } from '../store/endpoints';
import { showEndpoint } from './endpoints';

interface EndpointUpdate {
  readonly destination: Destination;
  readonly description: string | undefined;
  readonly eventKinds: readonly string[] | undefined;
  readonly symbols: readonly string[] | undefined;
  readonly disabled: boolean | undefined;
}

export async function updateEndpoint(deps: EndpointDeps, request: webhook.UpdateEndpointRequest): Promise<webhook.UpdateEndpointResponse> {
  const { tenantId, endpointId, description, eventKinds, symbols, disabled } = request;
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const { kind } = await requireEndpoint(deps.pool, tenantId, endpointId);
  const checked = await checkDestination(deps.targets, kind, request, false);
  refuseFaults(
    eventKindFaults(eventKinds, 0),
    symbols === undefined ? [] : symbolListFaults(symbols.symbols),
    description === undefined ? [] : descriptionFaults(description),
    checked.faults,
  );
  const endpoint = await applyUpdate(deps, tenantId, endpointId, {
    destination: destinationOf(checked),
    description,
    eventKinds: eventKinds.length === 0 ? undefined : eventKinds,
    symbols: symbols?.symbols,
    disabled,
  });
  return { endpoint: await showEndpoint(deps, endpoint) };
}

/**
 * A live endpoint with a new address or credential is disabled until it is tested. Lock order: rules before queues, so evaluators are
 * notified first.
 */
async function applyUpdate(deps: EndpointDeps, tenantId: string, endpointId: string, update: EndpointUpdate): Promise<Endpoint> {
  const nowMs = deps.clock();
  const { disabled, destination, ...change } = update;
  const { credential, ...address } = destination;
  return inTransaction(deps.pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    const named = await requireEndpoint(client, tenantId, endpointId);
    await notifyEvaluators(client, named, ...(change.symbols === undefined ? [] : [{ symbols: change.symbols }]));
    const before = await requireLocked(client, tenantId, endpointId);
    const isMoved = credential !== undefined || differs(address.url, before.url) || differs(address.chatId, before.chatId);
    await changeEndpoint(client, endpointId, { ...change, ...address, isMoved }, nowMs);
    if (credential !== undefined) await deps.secrets.replaceCredential(client, endpointId, credential, nowMs);
    if (change.eventKinds !== undefined || change.symbols !== undefined)
      await subscribe(client, await requireLocked(client, tenantId, endpointId));
    if (disabled === true) await disable(deps, client, before, 'owner');
    else if (isMoved && before.status === 'live') await disable(deps, client, before, 'url_changed');
    if (disabled === false) await enable(deps, client, await requireLocked(client, tenantId, endpointId));
    return requireLocked(client, tenantId, endpointId);
  });
}

const differs = (changed: string | undefined, before: string): boolean => changed !== undefined && changed !== before;

/** A disabled endpoint awaits a test again; others stay unchanged. */
export async function enableEndpoint(
  deps: EndpointDeps,
  { tenantId, endpointId }: webhook.EnableEndpointRequest,
): Promise<webhook.EnableEndpointResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const endpoint = await inTransaction(deps.pool, async (client) => {
    await enable(deps, client, await requireLocked(client, tenantId, endpointId));
    return requireLocked(client, tenantId, endpointId);
  });
  return { endpoint: await showEndpoint(deps, endpoint) };
}

export async function enable({ clock }: Pick<EndpointDeps, 'clock'>, on: Queryable, { endpointId, status }: Endpoint): Promise<void> {
  if (status !== 'disabled') return;
  await setStatus(on, endpointId, { status: 'test_pending', disabledReason: '' }, clock());
}

async function disable(
  { clock, logger }: Pick<EndpointDeps, 'clock' | 'logger'>,
  on: Queryable,
  endpoint: Endpoint,
  disabledReason: DisabledReason,
): Promise<void> {
  const { tenantId, endpointId } = endpoint;
  const nowMs = clock();
  await setStatus(on, endpointId, { status: 'disabled', disabledReason }, nowMs);
  await endWaiting(on, endpointId, { status: 'endpoint_disabled', nowMs });
  logger.info({ tenant_id: tenantId, endpoint_id: endpointId, disabled_reason: disabledReason }, 'webhook endpoint disabled');
}
