import { type Fault, ServiceError } from '@market-state/errors';
import type { PoolClient } from 'pg';
import { isCredentialOf } from '../../store/keys';

const DIGEST_SIZE_BYTES = 32;

/** What is wrong with the digest of the credential that asks for a change; an operator gives none. */
export function credentialFaults(digest: Uint8Array | undefined): Fault[] {
  return digest === undefined || digest.length === DIGEST_SIZE_BYTES
    ? []
    : [{ field: 'credential_digest', message: 'must be 32 bytes', type: 'wrong_length' }];
}

/**
 * Refuses a change whose credential has ended since the gateway saw it, in a transaction that holds the tenant: a reset or a revocation
 * beside it comes before or after it, never between.
 * @throws ServiceError UNAUTHENTICATED with reason `unauthenticated`
 */
export async function refuseEndedCredential(
  client: PoolClient,
  tenantId: string,
  digest: Uint8Array | undefined,
  nowMs: number,
): Promise<void> {
  if (digest === undefined || (await isCredentialOf(client, tenantId, digest, nowMs))) return;
  throw new ServiceError({
    code: 'UNAUTHENTICATED',
    reason: 'unauthenticated',
    sentence: 'The key or session of this call is no longer valid.',
  });
}
