import { inTransaction, type Queryable } from '@market-state/postgres';
import { changeEndpoint, lockTenantEndpoints, setStatus } from '../store/endpoints';
import { endWaiting } from '../store/endpoint-standings';
import type { DisabledReason, Endpoint } from './endpoint';
import type { EndpointDeps } from './endpoint-deps';
import { requireEndpoint, requireLocked } from './require-endpoint';
import { subscribe, tellEvaluators } from './subscribe';

/** What a request sets of an endpoint; undefined stays. */
export interface EndpointUpdate {
  readonly url: string | undefined;
  readonly description: string | undefined;
  readonly eventKinds: readonly string[] | undefined;
  readonly symbols: readonly string[] | undefined;
  readonly disabled: boolean | undefined;
}

/**
 * Sets what the update has. A live endpoint with another URL is disabled until that is tested. Evaluators lock rules before lanes, so they
 * are told before the endpoint is locked.
 */
export async function updateEndpoint(deps: EndpointDeps, tenantId: string, endpointId: string, update: EndpointUpdate): Promise<Endpoint> {
  const nowMs = deps.clock();
  const { disabled, ...change } = update;
  return inTransaction(deps.pool, async (client) => {
    await lockTenantEndpoints(client, tenantId);
    const named = await requireEndpoint(client, tenantId, endpointId);
    await tellEvaluators(client, named, ...(change.symbols === undefined ? [] : [{ symbols: change.symbols }]));
    const before = await requireLocked(client, tenantId, endpointId);
    const isMoved = change.url !== undefined && change.url !== before.url;
    await changeEndpoint(client, endpointId, { ...change, url: isMoved ? change.url : undefined }, nowMs);
    if (change.eventKinds !== undefined || change.symbols !== undefined)
      await subscribe(client, await requireLocked(client, tenantId, endpointId));
    if (disabled === true) await disable(deps, client, before, 'owner');
    else if (isMoved && before.status === 'live') await disable(deps, client, before, 'url_changed');
    if (disabled === false) await enable(deps, client, await requireLocked(client, tenantId, endpointId));
    return requireLocked(client, tenantId, endpointId);
  });
}

/** A disabled endpoint waits for a test again; any other stays as it is. */
export async function enableEndpoint(deps: EndpointDeps, tenantId: string, endpointId: string): Promise<Endpoint> {
  return inTransaction(deps.pool, async (client) => {
    await enable(deps, client, await requireLocked(client, tenantId, endpointId));
    return requireLocked(client, tenantId, endpointId);
  });
}

/** Puts a disabled endpoint where its test is all it needs. */
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
