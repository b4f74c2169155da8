import { account } from '@market-state/contracts';
import { type Fault, notFound, invalidArgument } from '@market-state/errors';
import { bindService, type BoundService, withDeps } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { orUnavailable } from '@market-state/postgres';
import { findPlan } from '@market-state/pricing';
import {
  controlFaults,
  idFaults,
  laterInstantFaults,
  lengthFaults,
  refuseFaults,
  optionalIdFaults,
  nameFaults,
} from '@market-state/request-checks';
import type { Pool } from 'pg';
import * as operator from '../tenants';
import { giveCredits, changePlan, type ChangePlanDeps, type WantedPlan } from '../tenants';
import { ledgerAudit } from '../credits/ledger-audit';
import type { Renewal } from '../credits/calendar';
import * as billing from '../billing/fulfil-order';
import * as store from '../store/orders';
import type { ListedOrder, OrderFilter } from '../store/orders';
import { hasTenant } from '../store/tenants';
import { ORDER_STATUSES } from '../billing/order';
import * as members from '../members/members';
import { listMembers } from '../store/members';
import { toProtoMember } from './accounts/members';
import { toProtoOrder } from './billing';
import { cutPage, decodeCursor, pageFaults } from './page';
import { listOverviews, type TenantOverview } from '../store/tenant-overviews';
import * as accounts from '../accounts/claim-tokens';
import { emailFaults } from '../accounts/email';
import * as factors from '../accounts/second-factor-change';

interface OperatorDeps extends ChangePlanDeps {
  readonly logger: Logger;
}

async function ensureTenant(deps: OperatorDeps, request: account.EnsureTenantRequest): Promise<account.EnsureTenantResponse> {
  const faults = [...nameFaults('name', request.name), ...planFaults(request)];
  if (faults.length > 0) throw invalidArgument(faults);
  const plan = planOf(request);
  const endsSubscription = request.endSubscription === true;
  const tenant =
    plan === null ? await operator.ensureTenant(deps, request.name, null) : await changePlan(deps, request.name, plan, endsSubscription);
  deps.logger.info({ tenant_id: tenant.tenantId, plan_id: tenant.planId, renewal: tenant.renewal }, 'tenant ensured');
  return { tenant: toProtoTenant(tenant) };
}

function planOf(request: account.EnsureTenantRequest): WantedPlan | null {
  const planId = findPlan(request.planId)?.planId;
  const renewal = fromProtoRenewal(request.renewal);
  if (planId === undefined || renewal === undefined) return null;
  return { planId, renewal, ownCredits: { market_state: request.marketStateCredits ?? null, export: request.exportCredits ?? null } };
}

function planFaults({ planId, renewal, marketStateCredits, exportCredits, endSubscription }: account.EnsureTenantRequest): Fault[] {
  const isOfPlan = marketStateCredits !== undefined || exportCredits !== undefined || endSubscription === true;
  if (planId === '')
    return isOfPlan ? [{ field: 'plan_id', message: 'is required with own credits or when ending a subscription', type: 'required' }] : [];
  const plan = findPlan(planId);
  const faults: Fault[] = [];
  if (plan === undefined) faults.push({ field: 'plan_id', message: 'is not a plan', type: 'unknown' });
  if (fromProtoRenewal(renewal) === undefined)
    faults.push({ field: 'renewal', message: 'must be none, daily or monthly', type: 'required' });
  if (plan !== undefined && plan.days !== null && fromProtoRenewal(renewal) !== 'none') {
    faults.push({ field: 'renewal', message: `must be none: the plan ends after ${plan.days} days`, type: 'out_of_range' });
  }
  if (plan !== undefined && plan.credits === null && marketStateCredits === undefined) {
    faults.push({ field: 'market_state_credits', message: 'is required: credits of this plan are set by contract', type: 'required' });
  }
  return faults;
}

const RENEWAL_TO_PROTO = {
  none: account.Renewal.NONE,
  daily: account.Renewal.DAILY,
  monthly: account.Renewal.MONTHLY,
} as const satisfies Record<Renewal, account.Renewal>;

function fromProtoRenewal(renewal: account.Renewal): Renewal | undefined {
  return (['none', 'daily', 'monthly'] as const).find((word) => RENEWAL_TO_PROTO[word] === renewal);
}

function toProtoTenant(tenant: TenantOverview): account.OperatorTenant {
  return {
    tenantId: tenant.tenantId,
    name: tenant.name,
    planId: tenant.planId ?? '',
    renewal: RENEWAL_TO_PROTO[tenant.renewal],
    disabled: tenant.isDisabled,
    createdTsMs: tenant.createdMs,
    marketStateAvailable: tenant.marketStateAvailable,
    exportAvailable: tenant.exportAvailable,
  };
}

async function createClaimToken(
  deps: OperatorDeps,
  { tenantId }: account.CreateClaimTokenRequest,
): Promise<account.CreateClaimTokenResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const made = await accounts.createClaimToken(deps.pool, tenantId, deps);
  if (made === null) throw notFound('unknown_tenant', 'There is no such tenant.');
  deps.logger.info({ tenant_id: tenantId }, 'claim token made');
  return made;
}

async function listTenants(deps: OperatorDeps, { limit, cursor }: account.ListTenantsRequest): Promise<account.ListTenantsResponse> {
  const after = decodeCursor('t1', cursor);
  refuseFaults(pageFaults(limit, after));
  const start = after === undefined || after === null ? null : { createdMs: after.atMs, tenantId: after.id };
  const tenants = await listOverviews(deps.pool, deps.clock(), limit + 1, start);
  const { page, nextCursor } = cutPage('t1', tenants, limit, ({ createdMs, tenantId }) => ({ atMs: createdMs, id: tenantId }));
  return { tenants: page.map(toProtoTenant), nextCursor };
}

async function setTenantDisabled(
  deps: OperatorDeps,
  { tenantId, disabled }: account.SetTenantDisabledRequest,
): Promise<account.SetTenantDisabledResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  const tenant = await operator.setTenantDisabled(deps, tenantId, disabled);
  deps.logger.info({ tenant_id: tenantId, disabled }, 'tenant disabled or enabled');
  return { tenant: toProtoTenant(tenant) };
}

async function removeSecondFactor(
  deps: OperatorDeps,
  { email }: account.RemoveSecondFactorRequest,
): Promise<account.RemoveSecondFactorResponse> {
  refuseFaults(emailFaults('email', email));
  const removed = await factors.removeSecondFactor(deps, email);
  deps.logger.info({ account_id: removed.accountId, tenant_id: removed.tenantId }, 'second factor removed by the operator');
  return removed;
}

async function listTenantMembers(
  { pool, clock }: OperatorDeps,
  { tenantId }: account.ListTenantMembersRequest,
): Promise<account.ListTenantMembersResponse> {
  refuseFaults(idFaults('tenant_id', tenantId));
  if (!(await hasTenant(pool, tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
  return { members: (await listMembers(pool, tenantId, clock())).map(toProtoMember) };
}

async function makeOwner(deps: OperatorDeps, { email }: account.MakeOwnerRequest): Promise<account.MakeOwnerResponse> {
  refuseFaults(emailFaults('email', email));
  const made = await members.makeOwner(deps, email);
  deps.logger.info({ account_id: made.accountId, tenant_id: made.tenantId }, 'owner made by the operator');
  return made;
}

async function listOrders({ pool }: OperatorDeps, request: account.ListOrdersRequest): Promise<account.ListOrdersResponse> {
  const { tenantId, limit } = request;
  const after = decodeCursor('o1', request.cursor);
  const status = ORDER_STATUSES.find((word) => word === request.status) ?? null;
  const faults = [
    ...optionalIdFaults('tenant_id', tenantId),
    ...(status === null && request.status !== ''
      ? [{ field: 'status', message: `must be empty or one of ${ORDER_STATUSES.join(', ')}`, type: 'enum' }]
      : []),
    ...pageFaults(limit, after),
  ];
  if (faults.length > 0) throw invalidArgument(faults);
  const orders = await readOrders(pool, {
    tenantId: tenantId === '' ? null : tenantId,
    status,
    limit: limit + 1,
    after: after ?? null,
  });
  const { page, nextCursor } = cutPage('o1', orders, limit, ({ createdMs, id }) => ({ atMs: createdMs, id }));
  return { orders: page.map(toProtoListed), nextCursor };
}

function toProtoListed(order: ListedOrder): account.OperatorOrder {
  return { order: toProtoOrder(order), tenantId: order.tenantId, tenantName: order.tenantName, fulfilledTsMs: order.fulfilledMs ?? 0 };
}

async function readOrders(pool: Pool, filter: OrderFilter): Promise<ListedOrder[]> {
  if (filter.tenantId !== null && !(await hasTenant(pool, filter.tenantId))) throw notFound('unknown_tenant', 'There is no such tenant.');
  return store.listOrders(pool, filter);
}

async function approveOrder(deps: OperatorDeps, { orderId }: account.ApproveOrderRequest): Promise<account.ApproveOrderResponse> {
  const { order, isFulfilledNow } = await billing.approveOrder(deps, orderId);
  deps.logger.info({ order_id: orderId, tenant_id: order.tenantId, fulfilled_now: isFulfilledNow }, 'order approved');
  return { tenantId: order.tenantId, planId: order.planId, fulfilledNow: isFulfilledNow };
}

async function auditLedger(deps: OperatorDeps, { tenantId }: account.AuditLedgerRequest): Promise<account.AuditLedgerResponse> {
  refuseFaults(optionalIdFaults('tenant_id', tenantId));
  const { tenants, postings, entries, faults } = await ledgerAudit(deps.pool, deps.clock(), tenantId === '' ? null : tenantId);
  if (tenantId !== '' && tenants === 0) throw notFound('unknown_tenant', 'There is no such tenant.');
  deps.logger[faults.length === 0 ? 'info' : 'error']({ tenants, postings, entries, faults: faults.length }, 'ledger audited');
  return { tenants, postings, entries, faults: [...faults] };
}

const NOTE_LENGTH_MAX = 200;

async function grantCredits(deps: OperatorDeps, request: account.GrantCreditsRequest): Promise<account.GrantCreditsResponse> {
  refuseFaults(grantFaults(request, deps.clock()));
  const tenant = await giveCredits(deps, request.tenantId, {
    marketState: request.marketStateCredits,
    export: request.exportCredits,
    expiresMs: request.expiresTsMs === 0 ? null : request.expiresTsMs,
    note: request.note,
  });
  const { tenantId, marketStateCredits, exportCredits } = request;
  deps.logger.info(
    { tenant_id: tenantId, market_state_credits: marketStateCredits, export_credits: exportCredits },
    'credits granted by the operator',
  );
  return { marketStateAvailable: tenant.marketStateAvailable, exportAvailable: tenant.exportAvailable };
}

function grantFaults(
  { tenantId, marketStateCredits, exportCredits, expiresTsMs, note }: account.GrantCreditsRequest,
  nowMs: number,
): Fault[] {
  const isNothing = marketStateCredits + exportCredits === 0;
  return [
    ...idFaults('tenant_id', tenantId),
    ...(isNothing ? [{ field: 'market_state_credits', message: 'is required unless export_credits is set', type: 'required' }] : []),
    ...laterInstantFaults('expires_ts_ms', expiresTsMs, nowMs),
    ...lengthFaults('note', note, 1, NOTE_LENGTH_MAX),
    ...controlFaults('note', note),
  ];
}

export function bindOperatorService(deps: OperatorDeps): BoundService {
  const handlers = {
    ensureTenant,
    listTenants,
    createClaimToken,
    grantCredits,
    setTenantDisabled,
    removeSecondFactor,
    listTenantMembers,
    makeOwner,
    listOrders,
    approveOrder,
    auditLedger,
  };
  return bindService(account.OperatorServiceService, withDeps(deps, handlers), orUnavailable('account'));
}
