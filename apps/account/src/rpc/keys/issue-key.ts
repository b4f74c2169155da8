import type { account } from '@market-state/contracts';
import { newId } from '@market-state/credentials';
import { invalidArgument } from '@market-state/errors';
import { inTransaction } from '@market-state/postgres';
import { findPlan } from '@market-state/pricing';
import { nameFaults } from '@market-state/request-checks';
import { networkSubjects, takeAttempt, tooManyAttempts } from '../../accounts/attempts';
import { networkOf } from '../../accounts/network';
import { grantSandbox } from '../../credits/grants';
import { makeKey } from '../../keys/make-key';
import { lockTenantOfName } from '../../store/tenants';
import { readOrder, toProtoRecord } from './wire';
import type { AccountDeps } from '../../deps';

const SANDBOX_KEY_NAME = 'sandbox';
const DAY_MS = 86_400_000;

export type SandboxKeyDeps = KeyMakingDeps & Pick<AccountDeps, 'limits'>;

/** Creates a tenant with the sandbox plan and a key, limited per address. */
export async function issueSandboxKey(
  deps: SandboxKeyDeps,
  request: account.IssueSandboxKeyRequest,
): Promise<account.IssueSandboxKeyResponse> {
  const { days, calls } = sandboxTerms();
  const network = networkOf(request.address);
  if (network === null) throw invalidArgument([{ field: 'address', message: 'must be an IPv4 or IPv6 address', type: 'malformed' }]);
  const made = await inTransaction(deps.pool, async (client) => {
    const nowMs = deps.clock();
    const waitMs = await takeAttempt(client, networkSubjects('sandbox_key', network, [deps.limits.sandboxKey]), nowMs);
    if (waitMs > 0) throw tooManyAttempts(waitMs, 'too_many_sandbox_keys');
    const tenantId = newId('ten', deps.randomBytes);
    await lockTenantOfName(client, `sandbox ${tenantId}`, tenantId, nowMs);
    await grantSandbox(client, tenantId, nowMs);
    return makeKey(deps, client, tenantId, {
      name: SANDBOX_KEY_NAME,
      kind: 'test',
      scopes: ['read'],
      expiresTsMs: nowMs + days * DAY_MS,
      operationId: null,
      ceiling: null,
      rate: null,
    });
  });
  deps.logger.info({ key_id: made.stored.id, tenant_id: made.stored.tenantId }, 'sandbox key made');
  return { key: made.key, record: toProtoRecord(made.stored, deps.clock()), calls };
}

/** Each call costs one credit. */
function sandboxTerms(): { days: number; calls: number } {
  const plan = findPlan('sandbox');
  if (plan === undefined || plan.days === null || plan.credits === null) throw new Error('the sandbox plan has no days or no credits');
  return { days: plan.days, calls: Math.floor(plan.credits.market_state / (plan.flatCost ?? 1)) };
}

const OPERATOR_KEY_NAME = 'issued by the operator';

export type KeyMakingDeps = Pick<AccountDeps, 'pool' | 'clock' | 'randomBytes' | 'logger'>;

export async function issueKey(deps: KeyMakingDeps, request: account.IssueKeyRequest): Promise<account.IssueKeyResponse> {
  const { faults: orderFaults, order } = readOrder(request, deps.clock());
  const faults = [...nameFaults('tenant_name', request.tenantName), ...orderFaults];
  if (faults.length > 0 || order === undefined) throw invalidArgument(faults);
  const made = await inTransaction(deps.pool, async (client) => {
    const tenantId = await lockTenantOfName(client, request.tenantName, newId('ten', deps.randomBytes), deps.clock());
    return makeKey(deps, client, tenantId, { ...order, name: OPERATOR_KEY_NAME, operationId: null, ceiling: null, rate: null });
  });
  const { id: keyId, tenantId, scopes } = made.stored;
  deps.logger.info({ key_id: keyId, tenant_id: tenantId, scopes }, 'key issued');
  return { key: made.key, keyId, tenantId };
}
