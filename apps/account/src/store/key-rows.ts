import type { KeyKind } from '@market-state/credentials';
import type { KeyOfTenant, KeyScope, StoredKey } from '../keys/key';

/** What is read of a row of `api_key k`. */
export const KEY_COLUMNS =
  'k.id, k.tenant_id, k.name, k.kind::text AS kind, k.scopes::text[] AS scopes, k.digest, k.display_first, k.display_last, k.created_at, ' +
  'k.expires_at, k.revoked_at, k.last_used_at, k.operation_id';

export interface KeyRow {
  readonly id: string;
  readonly tenant_id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: KeyScope[];
  readonly digest: Buffer;
  readonly display_first: string;
  readonly display_last: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly last_used_at: Date | null;
  readonly operation_id: string | null;
}

export function fromKeyRow(row: KeyRow): StoredKey {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    name: row.name,
    kind: row.kind,
    scopes: row.scopes,
    digest: row.digest,
    display: { first: row.display_first, last: row.display_last },
    createdTsMs: row.created_at.getTime(),
    expiresTsMs: row.expires_at?.getTime() ?? null,
    revokedTsMs: row.revoked_at?.getTime() ?? null,
    lastUsedTsMs: row.last_used_at?.getTime() ?? null,
    operationId: row.operation_id,
  };
}

export function fromKeyOfTenantRow(row: KeyRow & { plan_id: string | null; disabled: boolean }): KeyOfTenant {
  return { ...fromKeyRow(row), planId: row.plan_id, tenantDisabled: row.disabled };
}
