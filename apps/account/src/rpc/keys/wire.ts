import { account } from '@market-state/contracts';
import type { KeyKind } from '@market-state/credentials';
import type { KeyOfTenant, KeyScope, StoredKey } from '../../keys/key';
import { chargedStanding } from '../../credits/limits';
import { toProtoCeiling } from '../ceiling';
import { toProtoPlan } from '../plan';

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

/** The scope, or undefined for the unspecified one. */
export function fromProtoScope(scope: account.Scope): KeyScope | undefined {
  switch (scope) {
    case account.Scope.READ:
      return 'read';
    case account.Scope.EXPORT:
      return 'export';
    case account.Scope.AUTOMATION:
      return 'automation';
    case account.Scope.ACCOUNT:
      return 'account';
    case account.Scope.UNSPECIFIED:
      return undefined;
  }
}

/** The kind, or undefined for the unspecified one. */
export function fromProtoKind(kind: account.KeyKind): KeyKind | undefined {
  switch (kind) {
    case account.KeyKind.LIVE:
      return 'live';
    case account.KeyKind.TEST:
      return 'test';
    case account.KeyKind.UNSPECIFIED:
      return undefined;
  }
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
    creditCeiling: toProtoCeiling(key.ceiling === null ? null : chargedStanding(key.ceiling, nowMs)),
    callsPerMinute: key.rate?.callsPerMinute,
  };
}
