import { account } from '@market-state/contracts';
import type { KeyKind } from '@market-state/credentials';
import { type Fault, notFound, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { idFaults, laterInstantFaults } from '@market-state/request-checks';
import { type KeyOfTenant, type KeyScope, type StoredKey, KEY_SCOPES, rateFaults } from '../../keys/key';
import { chargedCeilingStatus } from '../../credits/limits';
import { toProtoPlan } from '../accounts/wire';
import { toProtoCeiling } from '../ceiling';
import type { KeyOrder } from '../../keys/make-key';
import { findPlanOfTenant } from '../../store/tenants';

const KEY_ID_PATTERN = /^key_[0-9a-z]{26}$/;

export function readOrder(
  request: { readonly kind: account.KeyKind; readonly scopes: readonly account.Scope[]; readonly expiresTsMs: number },
  nowMs: number,
): { readonly faults: Fault[]; readonly order: Omit<KeyOrder, 'name' | 'operationId' | 'ceiling' | 'rate'> | undefined } {
  const kind = fromProtoKind(request.kind);
  const scopes = readScopes(request.scopes);
  const faults = [
    ...(kind === undefined ? [{ field: 'kind', message: 'must be live or test', type: 'required' }] : []),
    ...(scopes === undefined ? [scopesFault()] : []),
    ...laterInstantFaults('expires_ts_ms', request.expiresTsMs, nowMs),
  ];
  const order =
    kind === undefined || scopes === undefined
      ? undefined
      : { kind, scopes, expiresTsMs: request.expiresTsMs === 0 ? null : request.expiresTsMs };
  return { faults, order };
}

/** Deduplicated, in the order of KEY_SCOPES. Undefined if empty or if one is unspecified. */
export function readScopes(scopes: readonly account.Scope[]): KeyScope[] | undefined {
  const parsed = scopes.map(fromProtoScope);
  if (parsed.length === 0 || parsed.includes(undefined)) return undefined;
  return KEY_SCOPES.filter((scope) => parsed.includes(scope));
}

export function scopesFault(): Fault {
  return { field: 'scopes', message: 'must contain at least one scope and no unspecified one', type: 'required' };
}

export async function rateFaultsOf(on: Queryable, tenantId: string, callsPerMinute: number | undefined): Promise<Fault[]> {
  if (callsPerMinute === undefined || idFaults('tenant_id', tenantId).length > 0) return [];
  return rateFaults(callsPerMinute, await findPlanOfTenant(on, tenantId));
}

export function isKeyId(text: string): boolean {
  return KEY_ID_PATTERN.test(text);
}

export function unknownKey(): ServiceError {
  return notFound('unknown_key', 'There is no such key.');
}

const SCOPE_TO_PROTO = {
  read: account.Scope.READ,
  export: account.Scope.EXPORT,
  automation: account.Scope.AUTOMATION,
  account: account.Scope.ACCOUNT,
} as const satisfies Record<KeyScope, account.Scope>;

const KIND_TO_PROTO = {
  live: account.KeyKind.LIVE,
  test: account.KeyKind.TEST,
} as const satisfies Record<KeyKind, account.KeyKind>;

function fromProtoScope(scope: account.Scope): KeyScope | undefined {
  return KEY_SCOPES.find((word) => SCOPE_TO_PROTO[word] === scope);
}

function fromProtoKind(kind: account.KeyKind): KeyKind | undefined {
  return (['live', 'test'] as const).find((word) => KIND_TO_PROTO[word] === kind);
}

export function toProtoGrant(key: KeyOfTenant): account.KeyGrant {
  return {
    keyId: key.id,
    tenantId: key.tenantId,
    kind: KIND_TO_PROTO[key.kind],
    scopes: key.scopes.map((scope) => SCOPE_TO_PROTO[scope]),
    expiresTsMs: key.expiresTsMs ?? 0,
    plan: toProtoPlan(key.planId),
    hasCreditCeiling: key.ceiling !== null,
    ownRate: key.rate ?? undefined,
  };
}

export function toProtoRecord(key: StoredKey, nowMs: number): account.KeyRecord {
  return {
    keyId: key.id,
    name: key.name,
    kind: KIND_TO_PROTO[key.kind],
    scopes: key.scopes.map((scope) => SCOPE_TO_PROTO[scope]),
    displayFirst: key.display.first,
    displayLast: key.display.last,
    createdTsMs: key.createdTsMs,
    expiresTsMs: key.expiresTsMs ?? 0,
    revokedTsMs: key.revokedTsMs ?? 0,
    lastUsedTsMs: key.lastUsedTsMs ?? 0,
    creditCeiling: toProtoCeiling(key.ceiling === null ? null : chargedCeilingStatus(key.ceiling, nowMs)),
    callsPerMinute: key.rate?.callsPerMinute,
  };
}
