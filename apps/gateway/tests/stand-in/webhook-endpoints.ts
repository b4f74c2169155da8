import { createMessage, webhook } from '@market-state/contracts';
import { failedPrecondition, notFound, resourceExhausted, invalidArgument } from '@market-state/errors';

const { EndpointStatus, EndpointKind } = webhook;

/** Endpoint of the first key's tenant that is live from the start, and one that is restored after each delete. */
export const LIVE_ENDPOINT = 'we_live';
export const SPARE_ENDPOINT = 'we_spare';
/** Host that the guard refuses. */
export const REFUSED_URL = 'https://refused.example/hook';
/** Endpoints allowed by a plan here. */
export const ENDPOINTS_MAX = 5;
/** Well-formed secret. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Endpoints of the stand-in. */
export interface StandInEndpoints {
  /** Throws NOT_FOUND `unknown_endpoint`, also for another tenant's endpoint. */
  of(tenantId: string, endpointId: string): webhook.Endpoint;
  /** `of` for a live endpoint; throws FAILED_PRECONDITION for others. */
  liveOf(tenantId: string, endpointId: string): webhook.Endpoint;
  /** Newest first. */
  listOf(tenantId: string): readonly webhook.Endpoint[];
  create(request: webhook.CreateEndpointRequest): webhook.CreateEndpointResponse;
  change(tenantId: string, endpointId: string, change: Partial<webhook.Endpoint>): webhook.Endpoint;
  remove(tenantId: string, endpointId: string): webhook.Endpoint;
}

/** Throws INVALID_ARGUMENT for the host that the guard refuses. */
export function refuseUrl(url: string): void {
  if (url !== REFUSED_URL) return;
  throw invalidArgument([{ field: 'url', message: 'leads to an address that is not public', type: 'url_not_allowed' }]);
}

function shownUrl(url: string, email: string): string {
  if (email !== '') return `mailto:${email}`;
  return url === '' ? 'https://api.example/' : url.replace(/[^/]+$/, '…');
}

export function createStandInEndpoints(now: () => number): StandInEndpoints {
  const entries: { readonly tenantId: string; readonly operationId: string; endpoint: webhook.Endpoint }[] = [];
  let made = 0;

  function add(tenantId: string, operationId: string, endpoint: Partial<webhook.Endpoint>): webhook.Endpoint {
    const whole = createMessage(webhook.Endpoint, {
      url: 'https://example.com/hook',
      eventKinds: ['alert.triggered'],
      kind: EndpointKind.WEBHOOK,
      status: EndpointStatus.TEST_PENDING,
      createdMs: now(),
      updatedMs: now(),
      secrets: [{ secretId: 'whk_1', createdMs: now(), expiresMs: 0 }],
      ...endpoint,
    });
    entries.unshift({ tenantId, operationId, endpoint: whole });
    return whole;
  }

  function entryOf(tenantId: string, endpointId: string) {
    const found = entries.find((entry) => entry.tenantId === tenantId && entry.endpoint.endpointId === endpointId);
    if (found === undefined) throw notFound('unknown_endpoint', 'No such webhook endpoint.');
    return found;
  }

  add('ten_1', 'op_live', { endpointId: LIVE_ENDPOINT, status: EndpointStatus.LIVE, lastSuccessMs: now() });
  add('ten_1', 'op_spare', { endpointId: SPARE_ENDPOINT });
  return {
    of: (tenantId, endpointId) => entryOf(tenantId, endpointId).endpoint,
    liveOf(tenantId, endpointId) {
      const { endpoint } = entryOf(tenantId, endpointId);
      if (endpoint.status === EndpointStatus.LIVE) return endpoint;
      const status = endpoint.status === EndpointStatus.DISABLED ? 'disabled' : 'test_pending';
      throw failedPrecondition('endpoint_not_live', 'The endpoint is not live.', {
        metadata: { status, disabled_reason: endpoint.disabledReason },
      });
    },
    listOf: (tenantId) => entries.filter((entry) => entry.tenantId === tenantId).map(({ endpoint }) => endpoint),
    create({ tenantId, operationId, url, description, eventKinds, symbols, kind, email, chatId, digestMinutes }) {
      const earlier = entries.find((entry) => entry.operationId === operationId);
      if (earlier !== undefined) return { endpoint: earlier.endpoint, secret: '' };
      refuseUrl(url);
      if (entries.filter((entry) => entry.tenantId === tenantId).length >= ENDPOINTS_MAX) {
        throw resourceExhausted('too_many_endpoints', `The plan allows ${ENDPOINTS_MAX} webhook endpoints.`, {
          metadata: { limit: String(ENDPOINTS_MAX) },
        });
      }
      made += 1;
      const isHook = kind === EndpointKind.WEBHOOK;
      const shown = { url: isHook ? url : shownUrl(url, email), kind, chatId, digestMinutes, ...(isHook ? {} : { secrets: [] }) };
      const endpoint = add(tenantId, operationId, { endpointId: `we_${made}`, description, eventKinds, symbols, ...shown });
      return { endpoint, secret: isHook ? SECRET : '' };
    },
    change(tenantId, endpointId, change) {
      const entry = entryOf(tenantId, endpointId);
      entry.endpoint = { ...entry.endpoint, ...change, updatedMs: now() };
      return entry.endpoint;
    },
    remove(tenantId, endpointId) {
      const entry = entryOf(tenantId, endpointId);
      if (endpointId !== SPARE_ENDPOINT) entries.splice(entries.indexOf(entry), 1);
      return entry.endpoint;
    },
  };
}
