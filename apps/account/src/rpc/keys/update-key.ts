import type { account } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, ServiceError } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { inTransaction } from '@market-state/postgres';
import { idFaults, laterInstantFaults, nameFaults } from '@market-state/request-checks';
import type { Pool, PoolClient } from 'pg';
import type { Ceiling, CeilingTerms } from '../../credits/book';
import { changeCeiling, makeCeiling } from '../../credits/ceilings';
import { isActive, type StoredKey } from '../../keys/key';
import { lockTenant } from '../../store/tenants';
import { lockKey, lockKeysSharing, writeKey, writeSharedRate, isCredentialOf } from '../../store/keys';
import { ceilingFaults } from '../ceiling';
import { isKeyId, rateFaultsOf, readScopes, scopesFault, unknownKey, toProtoRecord } from './wire';

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

interface UpdateKeyDeps {
  readonly pool: Pool;
  readonly clock: () => number;
  readonly logger: Logger;
}

export async function updateKey(deps: UpdateKeyDeps, request: account.UpdateKeyRequest): Promise<account.UpdateKeyResponse> {
  const nowMs = deps.clock();
  const asked = request.callsPerMinute === 0 ? undefined : request.callsPerMinute;
  const { terms, ...change } = readChange(request, nowMs, await rateFaultsOf(deps.pool, request.tenantId, asked));
  if (!isKeyId(request.keyId)) throw unknownKey();
  const key = await inTransaction(deps.pool, async (client) => {
    if (!(await lockTenant(client, request.tenantId))) throw unknownKey();
    await refuseEndedCredential(client, request.tenantId, request.credentialDigest, nowMs);
    if (terms !== undefined || request.callsPerMinute !== undefined) await lockKeysSharing(client, request.tenantId, request.keyId);
    const stored = await lockKey(client, request.tenantId, request.keyId);
    if (stored === null) throw unknownKey();
    if (!isActive(stored, nowMs)) throw keyEnded();
    const ceiling = terms === undefined ? stored.ceiling : await ceilingAfter(client, stored, terms, nowMs);
    const changed: StoredKey = { ...stored, ...change, ceiling, rate: rateAfter(stored, request.callsPerMinute) };
    await writeKey(client, changed);
    if (stored.rate !== null) await writeSharedRate(client, stored.tenantId, stored.rate.keyId, changed.rate);
    return changed;
  });
  deps.logger.info({ key_id: key.id, tenant_id: key.tenantId, scopes: key.scopes, expires_ts_ms: key.expiresTsMs }, 'key changed');
  return { key: toProtoRecord(key, nowMs) };
}

export function keyEnded(): ServiceError {
  return failedPrecondition('key_ended', 'The key has ended.');
}

async function ceilingAfter(
  client: PoolClient,
  { tenantId, ceiling }: StoredKey,
  terms: CeilingTerms | null,
  nowMs: number,
): Promise<Ceiling | null> {
  if (ceiling !== null) return changeCeiling(client, tenantId, ceiling, terms, nowMs);
  return terms === null ? null : makeCeiling(client, tenantId, terms, nowMs);
}

/** The rate of a key that is changed: absent, as it is; 0, none. */
function rateAfter({ id, rate }: StoredKey, callsPerMinute: number | undefined): StoredKey['rate'] {
  if (callsPerMinute === undefined) return rate;
  return callsPerMinute === 0 ? null : { callsPerMinute, keyId: rate?.keyId ?? id };
}

/** A ceiling whose fields are both 0 is to be taken away. */
function isNoCeiling({ credits, windowSeconds }: account.CreditCeiling): boolean {
  return credits === 0 && windowSeconds === 0;
}

interface KeyChanges extends Partial<Pick<StoredKey, 'name' | 'scopes' | 'expiresTsMs'>> {
  /** Of the ceiling; null: none. */
  readonly terms?: CeilingTerms | null;
}

/** What of the key becomes another. @throws ServiceError INVALID_ARGUMENT with every fault, those of its rate among them */
function readChange(request: account.UpdateKeyRequest, nowMs: number, ofRate: readonly Fault[]): KeyChanges {
  const { name, expiresTsMs, creditCeiling } = request;
  const terms = creditCeiling !== undefined && isNoCeiling(creditCeiling) ? null : creditCeiling;
  const scopes = request.scopes.length === 0 ? null : readScopes(request.scopes);
  const faults = [
    ...idFaults('tenant_id', request.tenantId),
    ...(name === undefined ? [] : nameFaults('name', name)),
    ...(scopes === undefined ? [scopesFault()] : []),
    ...credentialFaults(request.credentialDigest),
    ...(expiresTsMs === undefined ? [] : laterInstantFaults('expires_ts_ms', expiresTsMs, nowMs)),
    ...ceilingFaults('credit_ceiling', terms ?? undefined),
    ...ofRate,
  ];
  if (faults.length > 0 || scopes === undefined) throw invalidArgument(faults);
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === null ? {} : { scopes }),
    ...(expiresTsMs === undefined ? {} : { expiresTsMs: expiresTsMs === 0 ? null : expiresTsMs }),
    ...(terms === undefined ? {} : { terms }),
  };
}
