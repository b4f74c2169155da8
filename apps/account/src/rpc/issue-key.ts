import type { account } from '@market-state/contracts';
import { type Fault, invalidArgument, resourceExhausted } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { ACTIVE_KEYS_MAX, issueKey, type IssueDeps, type IssueOrder } from '../keys/issue-key';
import { KEY_SCOPES, type KeyScope } from '../keys/key';
import { fromProtoKind, fromProtoScope } from './wire';

const TENANT_NAME_LENGTH_MAX = 100;
/** The end of the year 9999. */
const EXPIRES_TS_MS_MAX = 253_402_300_799_999;

export interface IssueKeyDeps {
  readonly issue: IssueDeps;
  readonly logger: Logger;
}

export function createIssueKey(deps: IssueKeyDeps) {
  return async function issueKeyRpc(request: account.IssueKeyRequest): Promise<account.IssueKeyResponse> {
    const order = readOrder(request, deps.issue.clock());
    const issued = await issueKey(deps.issue, order);
    if (issued === null) {
      deps.logger.warn({ tenant_name: order.tenantName }, 'key not issued: limit of active keys reached');
      throw resourceExhausted('too_many_keys', `A tenant may hold ${ACTIVE_KEYS_MAX} active keys at most.`);
    }
    deps.logger.info({ key_id: issued.keyId, tenant_id: issued.tenantId, scopes: order.scopes }, 'key issued');
    return issued;
  };
}

/** The request as an order. @throws ServiceError INVALID_ARGUMENT with every fault. */
function readOrder(request: account.IssueKeyRequest, nowMs: number): IssueOrder {
  const kind = fromProtoKind(request.kind);
  const scopes = readScopes(request.scopes);
  const faults = [
    ...tenantNameFaults(request.tenantName),
    ...(kind === undefined ? [{ field: 'kind', message: 'must be live or test', type: 'required' }] : []),
    ...(scopes === undefined ? [{ field: 'scopes', message: 'must be at least one scope, each of them specified', type: 'required' }] : []),
    ...expiryFaults(request.expiresTsMs, nowMs),
  ];
  if (faults.length > 0 || kind === undefined || scopes === undefined) throw invalidArgument(faults);
  return {
    tenantName: request.tenantName,
    kind,
    scopes,
    expiresTsMs: request.expiresTsMs === 0 ? null : request.expiresTsMs,
  };
}

function tenantNameFaults(tenantName: string): Fault[] {
  const length = [...tenantName].length;
  if (length >= 1 && length <= TENANT_NAME_LENGTH_MAX && !/\p{Cc}/u.test(tenantName)) return [];
  return [{ field: 'tenant_name', message: 'must be 1 to 100 characters, none of them a control character', type: 'out_of_range' }];
}

function expiryFaults(expiresTsMs: number, nowMs: number): Fault[] {
  if (expiresTsMs === 0 || (expiresTsMs > nowMs && expiresTsMs <= EXPIRES_TS_MS_MAX)) return [];
  return [{ field: 'expires_ts_ms', message: 'must be 0 or lie in the future', type: 'out_of_range' }];
}

/** Each scope once, in the order of KEY_SCOPES; undefined when there is none or one is unspecified. */
function readScopes(scopes: readonly account.Scope[]): KeyScope[] | undefined {
  const asked = scopes.map(fromProtoScope);
  if (asked.length === 0 || asked.includes(undefined)) return undefined;
  return KEY_SCOPES.filter((scope) => asked.includes(scope));
}
