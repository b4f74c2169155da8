import { failedPrecondition, notFound, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { findEndpoint, lockEndpoint } from '../store/endpoints';
import type { Endpoint } from './endpoint';

export function unknownEndpoint(): ServiceError {
  return notFound('unknown_endpoint', 'No such webhook endpoint.');
}

/** @throws ServiceError `unknown_endpoint` */
export async function requireEndpoint(on: Queryable, tenantId: string, endpointId: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(on, tenantId, endpointId);
  if (endpoint === undefined) throw unknownEndpoint();
  return endpoint;
}

/** Like `requireEndpoint`, with a lock until the transaction ends. */
export async function requireLocked(on: Queryable, tenantId: string, endpointId: string): Promise<Endpoint> {
  const endpoint = await lockEndpoint(on, tenantId, endpointId);
  if (endpoint === undefined) throw unknownEndpoint();
  return endpoint;
}

/** @throws ServiceError `endpoint_not_live` (metadata `status`, `disabled_reason`) */
export function refuseUnlessLive({ status, disabledReason }: Endpoint): void {
  if (status === 'live') return;
  const metadata = { status, disabled_reason: disabledReason };
  if (status === 'test_pending' || disabledReason === 'url_changed') {
    throw failedPrecondition('endpoint_not_live', 'The webhook endpoint is unverified: send a successful test first.', {
      metadata: { ...metadata, status: 'test_pending' },
    });
  }
  throw failedPrecondition('endpoint_not_live', 'The webhook endpoint is disabled. Enable it, then test it.', { metadata });
}

const MESSAGE_KEPT_MS = 14 * 86_400_000;

/** @throws ServiceError `beyond_retention` (metadata `oldest_ms`) */
export function refuseBeyondRetention(sinceMs: number, nowMs: number): void {
  const oldestMs = nowMs - MESSAGE_KEPT_MS;
  if (sinceMs >= oldestMs) return;
  throw failedPrecondition('beyond_retention', 'Messages are kept for 14 days.', { metadata: { oldest_ms: String(oldestMs) } });
}
