import type { account } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, type ServiceError, notFound } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { digestFaults, idFaults, laterInstantFaults, nameFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { PoolClient } from 'pg';
import type { Ceiling, CeilingTerms } from '../../credits/credit-ledger';
import { changeCeiling, makeCeiling } from '../../credits/spend-controls';
import { isActive, type KeyScope, type StoredKey } from '../../keys/key';
import { requireRole } from '../../members/require-role';
import { writeAccountEvent } from '../../store/account-events';
import { lockTenant } from '../../store/tenants';
import * as store from '../../store/keys';
import { lockKey, lockKeysSharing, writeKey, writeSharedRate, lockKeyOfOperation } from '../../store/keys';
import { ceilingFaults } from '../ceiling';
import { isKeyId, rateFaultsOf, readScopes, scopesFault, unknownKey, toProtoRecord, readOrder } from './wire';
import { pageOfTenant } from '../page';
import { makeKey, type KeyOrder, type MadeKey, renewSecret } from '../../keys/make-key';
import type { KeyMakingDeps } from './issue-key';
import { holdOperation } from '../../idempotent-calls';
import { operationFaults, readOperation } from '../operation';

export async function createKey(deps: KeyMakingDeps, request: account.CreateKeyRequest): Promise<account.CreateKeyResponse> {
  const { tenantId, name, credentialDigest, creditCeiling, callsPerMinute } = request;
  const { faults: orderFaults, order } = readOrder(request, deps.clock());
  const faults: Fault[] = [
    ...idFaults('tenant_id', tenantId),
    ...nameFaults('name', name),
    ...orderFaults,
    ...operationFaults(request),
    ...credentialFaults(credentialDigest),
    ...ceilingFaults('credit_ceiling', creditCeiling),
    ...(await rateFaultsOf(deps.pool, tenantId, callsPerMinute)),
  ];
  if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
  const operation = readOperation(request);
  const made = await inTransaction(deps.pool, async (client) => {
    if (operation !== null) await holdOperation(client, tenantId, operation);
    if (!(await lockTenant(client, tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
    await requireRoleFor(order.scopes, client, tenantId, credentialDigest, deps.clock());
    const rate = callsPerMinute === undefined ? null : { callsPerMinute, keyId: null };
    const created = await makeOnce(deps, client, tenantId, {
      ...order,
      name,
      operationId: operation?.id ?? null,
      terms: creditCeiling ?? null,
      rate,
    });
    await writeAccountEvent(client, { tenantId, kind: 'key_created', credentialDigest, subjectId: created.stored.id }, deps);
    return created;
  });
  deps.logger.info({ key_id: made.stored.id, tenant_id: tenantId, scopes: made.stored.scopes, operation_id: operation?.id }, 'key made');
  return { key: made.key, record: toProtoRecord(made.stored, deps.clock()) };
}

/** Returns the operation's key. If an earlier try created it, its secret is renewed for the caller. */
async function makeOnce(
  deps: KeyMakingDeps,
  client: PoolClient,
  tenantId: string,
  { terms, ...order }: Omit<KeyOrder, 'ceiling'> & { readonly terms: CeilingTerms | null },
): Promise<MadeKey> {
  const before = order.operationId === null ? null : await lockKeyOfOperation(client, tenantId, order.operationId);
  if (before === null) {
    const ceiling = terms === null ? null : await makeCeiling(client, tenantId, terms, deps.clock());
    return makeKey(deps, client, tenantId, { ...order, ceiling });
  }
  if (!isActive(before, deps.clock())) throw keyEnded();
  if (before.lastUsedTsMs !== null)
    throw failedPrecondition(
      'key_in_use',
      `This call already created key ${before.id}, which is in use, so its secret cannot be shown again.`,
    );
  return renewSecret(deps, client, before);
}

const OVERLAP_MS_MAX = 30 * 86_400_000;

export async function rotateKey(deps: KeyMakingDeps, request: account.RotateKeyRequest): Promise<account.RotateKeyResponse> {
  const isOverlap = request.overlapMs >= 0 && request.overlapMs <= OVERLAP_MS_MAX;
  refuseFaults([
    ...idFaults('tenant_id', request.tenantId),
    ...(isOverlap ? [] : [{ field: 'overlap_ms', message: `must be 0 to ${OVERLAP_MS_MAX} (30 days)`, type: 'out_of_range' }]),
    ...credentialFaults(request.credentialDigest),
  ]);
  if (!isKeyId(request.keyId)) throw unknownKey();
  const { made, ending } = await inTransaction(deps.pool, async (client) => {
    if (!(await lockTenant(client, request.tenantId))) throw unknownKey();
    const stored = await lockKey(client, request.tenantId, request.keyId);
    await requireRoleFor(stored?.scopes ?? [], client, request.tenantId, request.credentialDigest, deps.clock());
    if (stored === null) throw unknownKey();
    const nowMs = deps.clock();
    if (!isActive(stored, nowMs)) throw keyEnded();
    // Written first: without overlap, the ended key frees a slot for the new one.
    const old = { ...stored, expiresTsMs: Math.min(nowMs + request.overlapMs, stored.expiresTsMs ?? Infinity) };
    await writeKey(client, old);
    const created = await makeKey(deps, client, request.tenantId, { ...stored, operationId: null });
    const { tenantId, keyId: subjectId, credentialDigest } = request;
    await writeAccountEvent(client, { tenantId, kind: 'key_rotated', credentialDigest, subjectId }, deps);
    return { made: created, ending: old };
  });
  deps.logger.info(
    { key_id: ending.id, new_key_id: made.stored.id, tenant_id: request.tenantId, ends_ts_ms: ending.expiresTsMs },
    'key rotated',
  );
  const nowMs = deps.clock();
  return { key: made.key, created: toProtoRecord(made.stored, nowMs), ending: toProtoRecord(ending, nowMs) };
}

export async function revokeKey(deps: KeyMakingDeps, request: account.RevokeKeyRequest): Promise<account.RevokeKeyResponse> {
  refuseFaults(optionalIdFaults('tenant_id', request.tenantId));
  const tenantId = request.tenantId === '' ? null : request.tenantId;
  if (!isKeyId(request.keyId)) throw unknownKey();
  const { keyId, credentialDigest } = request;
  const revoked = await inTransaction(deps.pool, async (client) => {
    const found = await store.revokeKey(client, keyId, tenantId, deps.clock());
    if (found !== null) await writeAccountEvent(client, { ...found, kind: 'key_revoked', credentialDigest, subjectId: keyId }, deps);
    return found;
  });
  if (revoked === null) throw unknownKey();
  deps.logger.info({ key_id: request.keyId, tenant_id: revoked.tenantId }, 'key revoked');
  return {};
}

export async function listKeys({ pool, clock }: KeyMakingDeps, request: account.ListKeysRequest): Promise<account.ListKeysResponse> {
  const placeOf = ({ createdTsMs, id }: StoredKey) => ({ atMs: createdTsMs, id });
  const { page, nextCursor } = await pageOfTenant(pool, ['k1', 'api_key'], request, store.listKeys, placeOf);
  return { keys: page.map((key) => toProtoRecord(key, clock())), nextCursor };
}

/** Undefined if an operator makes the change. */
function credentialFaults(digest: Uint8Array | undefined): Fault[] {
  return digest === undefined ? [] : digestFaults('credential_digest', digest);
}

/**
 * Keys with the scope `account` may do what an owner may, so only owners deal with them. The transaction must lock the
 * tenant, so that no reset or revocation happens in between.
 * @param scopes of the key before and after
 * @throws ServiceError `unauthenticated`; `insufficient_role`
 */
async function requireRoleFor(
  scopes: readonly KeyScope[],
  client: PoolClient,
  tenantId: string,
  digest: Uint8Array | undefined,
  nowMs: number,
): Promise<void> {
  if (digest !== undefined) await requireRole(client, { tenantId, digest }, scopes.includes('account') ? 'owner' : 'member', nowMs);
}

export async function updateKey(deps: KeyMakingDeps, request: account.UpdateKeyRequest): Promise<account.UpdateKeyResponse> {
  const nowMs = deps.clock();
  const callsPerMinute = request.callsPerMinute === 0 ? undefined : request.callsPerMinute;
  const { terms, ...change } = readChange(request, nowMs, await rateFaultsOf(deps.pool, request.tenantId, callsPerMinute));
  if (!isKeyId(request.keyId)) throw unknownKey();
  const key = await inTransaction(deps.pool, async (client) => {
    if (!(await lockTenant(client, request.tenantId))) throw unknownKey();
    if (terms !== undefined || request.callsPerMinute !== undefined) await lockKeysSharing(client, request.tenantId, request.keyId);
    const stored = await lockKey(client, request.tenantId, request.keyId);
    const scopes = [...(stored?.scopes ?? []), ...(change.scopes ?? [])];
    await requireRoleFor(scopes, client, request.tenantId, request.credentialDigest, nowMs);
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

function keyEnded(): ServiceError {
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

/** Undefined leaves the rate unchanged; 0 removes it. */
function rateAfter({ id, rate }: StoredKey, callsPerMinute: number | undefined): StoredKey['rate'] {
  if (callsPerMinute === undefined) return rate;
  return callsPerMinute === 0 ? null : { callsPerMinute, keyId: rate?.keyId ?? id };
}

/** A ceiling with both fields 0 removes it. */
function isNoCeiling({ credits, windowSeconds }: account.CreditCeiling): boolean {
  return credits === 0 && windowSeconds === 0;
}

interface KeyChanges extends Partial<Pick<StoredKey, 'name' | 'scopes' | 'expiresTsMs'>> {
  readonly terms?: CeilingTerms | null;
}

/** @throws ServiceError INVALID_ARGUMENT with all faults, including `ofRate` */
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
