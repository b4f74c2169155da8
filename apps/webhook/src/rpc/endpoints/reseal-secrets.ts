import type { webhook } from '@market-state/contracts';
import type { EndpointDeps } from '../../endpoints/endpoint-deps';

/** Seals all secrets with the first key. */
export async function resealSecrets({ pool, secrets, logger }: EndpointDeps): Promise<webhook.ResealSecretsResponse> {
  const done = await secrets.resealAll(pool);
  const { keyId, resealed, unreadable } = done;
  logger.info({ key_id: keyId, resealed, unreadable }, 'webhook secrets sealed anew');
  return done;
}
