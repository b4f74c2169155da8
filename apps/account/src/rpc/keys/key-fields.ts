import type { account } from '@market-state/contracts';
import { type Fault, notFound, type ServiceError } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { idFaults, laterInstantFaults } from '@market-state/request-checks';
import { KEY_SCOPES, type KeyScope } from '../../keys/key';
import { rateFaults } from '../../keys/key-rate';
import type { KeyOrder } from '../../keys/make-key';
import { findPlanOfTenant } from '../../store/tenants';
import { fromProtoKind, fromProtoScope } from './wire';

const KEY_ID_PATTERN = /^key_[0-9a-z]{26}$/;

/** Kind, scopes and end of an order, or the faults of them. */
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

/** Each scope once, in the order of KEY_SCOPES; undefined when there is none or one is unspecified. */
export function readScopes(scopes: readonly account.Scope[]): KeyScope[] | undefined {
  const asked = scopes.map(fromProtoScope);
  if (asked.length === 0 || asked.includes(undefined)) return undefined;
  return KEY_SCOPES.filter((scope) => asked.includes(scope));
}

export function scopesFault(): Fault {
  return { field: 'scopes', message: 'must be at least one scope, each of them specified', type: 'required' };
}

/** Every fault of a rate that a tenant's key is to have; an absent one has none. */
export async function rateFaultsOf(on: Queryable, tenantId: string, callsPerMinute: number | undefined): Promise<Fault[]> {
  if (callsPerMinute === undefined || idFaults('tenant_id', tenantId).length > 0) return [];
  return rateFaults(callsPerMinute, await findPlanOfTenant(on, tenantId));
}

/** Whether a text can be the id of a key at all. */
export function isKeyId(text: string): boolean {
  return KEY_ID_PATTERN.test(text);
}

export function unknownKey(): ServiceError {
  return notFound('unknown_key', 'There is no such key.');
}
