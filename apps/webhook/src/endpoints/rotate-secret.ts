import { inTransaction } from '@market-state/postgres';
import type { Endpoint } from './endpoint';
import type { EndpointDeps } from './endpoint-deps';
import { requireLocked } from './require-endpoint';

const HOUR_MS = 3_600_000;

/** Gives an endpoint a new secret, shown this once; those before it sign along for some hours. */
export async function rotateSecret(
  { pool, secrets, clock, logger }: EndpointDeps,
  tenantId: string,
  endpointId: string,
  graceHours: number,
): Promise<{ readonly endpoint: Endpoint; readonly secret: string }> {
  const nowMs = clock();
  const { endpoint, secret, secretId } = await inTransaction(pool, async (client) => {
    const locked = await requireLocked(client, tenantId, endpointId);
    return { endpoint: locked, ...(await secrets.rotate(client, endpointId, { nowMs, untilMs: nowMs + graceHours * HOUR_MS })) };
  });
  const told = { tenant_id: tenantId, endpoint_id: endpointId, secret_id: secretId, grace_hours: graceHours };
  logger.info(told, 'webhook secret rotated');
  return { endpoint, secret };
}
