import { account } from '@market-state/contracts';
import { EXIT, badInput } from '../cli-error';
import { count, counted, instant, second } from '../io/instant';
import { wholeTable } from '../io/table';
import type { ScopeWord } from '../arguments/values';
import type { AccountCalls, OperatorResult } from './operator-command';

const PAGE_SIZE = 1_000;

const RENEWALS = {
  none: account.Renewal.NONE,
  daily: account.Renewal.DAILY,
  monthly: account.Renewal.MONTHLY,
} as const;

export interface WantedPlan {
  readonly planId: string;
  readonly renewal: keyof typeof RENEWALS;
  readonly marketStateCredits?: number;
  readonly exportCredits?: number;
  readonly endSubscription?: boolean;
}

export async function listTenants(calls: AccountCalls): Promise<OperatorResult> {
  return listOf(await allTenants(calls));
}

export async function createTenant(calls: AccountCalls, name: string, plan: WantedPlan | undefined): Promise<OperatorResult> {
  const known = (await allTenants(calls)).find((tenant) => tenant.name === name);
  if (known !== undefined) throw badInput(`A tenant named ${JSON.stringify(name)} already exists: ${known.tenantId}.`);
  return ensureTenant(calls, name, plan);
}

export async function setPlan(calls: AccountCalls, idOrName: string, plan: WantedPlan): Promise<OperatorResult> {
  const { name } = await findTenant(calls, idOrName);
  return ensureTenant(calls, name, plan);
}

export async function setTenantDisabled(calls: AccountCalls, idOrName: string, disabled: boolean): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, idOrName);
  const { tenant } = await calls.operator.setTenantDisabled({ tenantId, disabled });
  return listOf(tenant === undefined ? [] : [tenant]);
}

export async function removeSecondFactor(calls: AccountCalls, email: string): Promise<OperatorResult> {
  const { accountId, tenantId } = await calls.operator.removeSecondFactor({ email });
  return { result: { account_id: accountId, tenant_id: tenantId }, lines: [`${accountId} of ${tenantId} logs in without a code now`] };
}

const ROLES: Readonly<Partial<Record<account.MemberRole, string>>> = {
  [account.MemberRole.OWNER]: 'owner',
  [account.MemberRole.MEMBER]: 'member',
  [account.MemberRole.READ_ONLY]: 'read_only',
};

export async function listMembers(calls: AccountCalls, idOrName: string): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, idOrName);
  const { members } = await calls.operator.listTenantMembers({ tenantId });
  const result = members.map((member) => ({
    account_id: member.accountId,
    email: member.email,
    role: ROLES[member.role] ?? null,
    second_factor: member.secondFactorEnabled ? 'on' : 'off',
    joined_utc: second(member.createdTsMs),
    last_active_utc: secondOrNull(member.lastUsedTsMs),
  }));
  return { result, lines: wholeTable(['account', 'email', 'role', 'two-factor', 'joined', 'last active'], result.map(cellsOf('-'))) };
}

export async function makeOwner(calls: AccountCalls, email: string): Promise<OperatorResult> {
  const { accountId, tenantId } = await calls.operator.makeOwner({ email });
  return { result: { account_id: accountId, tenant_id: tenantId }, lines: [`${accountId} is an owner of ${tenantId} now`] };
}

/** The id first, then the name. @throws CliError (bad input) if there is none */
async function findTenant(calls: AccountCalls, idOrName: string): Promise<account.OperatorTenant> {
  const tenants = await allTenants(calls);
  const found = tenants.find(({ tenantId }) => tenantId === idOrName) ?? tenants.findLast(({ name }) => name === idOrName);
  if (found === undefined)
    throw badInput(`No tenant with the id or name ${JSON.stringify(idOrName)}; "market-state admin tenants list" shows all tenants.`);
  return found;
}

/** Empty for all tenants. */
async function idOf(calls: AccountCalls, idOrName: string | undefined): Promise<string> {
  return idOrName === undefined ? '' : (await findTenant(calls, idOrName)).tenantId;
}

async function ensureTenant({ operator }: AccountCalls, name: string, plan: WantedPlan | undefined): Promise<OperatorResult> {
  const wanted = plan === undefined ? { planId: '', renewal: account.Renewal.UNSPECIFIED } : { ...plan, renewal: RENEWALS[plan.renewal] };
  const { tenant } = await operator.ensureTenant({ name, ...wanted });
  return listOf(tenant === undefined ? [] : [tenant]);
}

function allTenants({ operator }: AccountCalls): Promise<readonly account.OperatorTenant[]> {
  return everyPage(
    (page) => operator.listTenants(page),
    ({ tenants }) => tenants,
  );
}

async function everyPage<P extends { readonly nextCursor: string }, T>(
  read: (page: { limit: number; cursor: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[],
): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor = '';
  do {
    const page = await read({ limit: PAGE_SIZE, cursor });
    items.push(...itemsOf(page));
    cursor = page.nextCursor;
  } while (cursor !== '');
  return items;
}

function listOf(tenants: readonly account.OperatorTenant[]): OperatorResult {
  const result = tenants.map((tenant) => ({
    tenant_id: tenant.tenantId,
    name: tenant.name,
    plan_id: tenant.planId === '' ? null : tenant.planId,
    renewal: Object.entries(RENEWALS).find(([, renewal]) => renewal === tenant.renewal)?.[0] ?? null,
    state: tenant.disabled ? 'disabled' : 'enabled',
    created_utc: second(tenant.createdTsMs),
    market_state_credits: tenant.marketStateAvailable,
    export_credits: tenant.exportAvailable,
  }));
  const titles = ['tenant', 'name', 'plan', 'renewal', 'state', 'created', 'market-state credits', 'export credits'];
  return { result, lines: wholeTable(titles, result.map(cellsOf('-')), 6) };
}

/** Null for 0: not yet, or never. */
function secondOrNull(epochMs: number): string | null {
  return epochMs === 0 ? null : second(epochMs);
}

/** Cells of a table: numbers with separators, and a word for what is absent. */
function cellsOf(absent: string): (row: Readonly<Record<string, string | number | null>>) => readonly string[] {
  return (row) => Object.values(row).map((value) => (typeof value === 'number' ? count(value) : (value ?? absent)));
}

export const ORDER_WORDS = ['open', 'fulfilled', 'expired', 'cancelled', 'all'] as const;

export async function listOrders(
  calls: AccountCalls,
  { tenant, status }: { readonly tenant?: string; readonly status: (typeof ORDER_WORDS)[number] },
): Promise<OperatorResult> {
  const tenantId = await idOf(calls, tenant);
  const wanted = { tenantId, status: status === 'all' ? '' : status };
  const orders = await everyPage(
    (page) => calls.operator.listOrders({ ...wanted, ...page }),
    (page) => page.orders,
  );
  const result = orders.flatMap(rowOf);
  const titles = ['order', 'tenant', 'name', 'for', 'every', 'US dollars', 'provider', 'status', 'made', 'fulfilled'];
  return { result, lines: wholeTable(titles, result.map(cellsOf('-')), 5) };
}

export async function approveOrder({ operator }: AccountCalls, orderId: string): Promise<OperatorResult> {
  const { tenantId, planId, fulfilledNow } = await operator.approveOrder({ orderId });
  return {
    result: { order_id: orderId, tenant_id: tenantId, plan_id: planId, fulfilled_now: fulfilledNow },
    lines: [fulfilledNow ? `${orderId} fulfilled: ${tenantId} is now on ${planId}.` : `${orderId} was already fulfilled; nothing changed.`],
  };
}

function rowOf({ order, tenantId, tenantName, fulfilledTsMs }: account.OperatorOrder) {
  if (order === undefined) return [];
  const { orderId, planId, billingInterval, amountCents, provider, status, createdTsMs } = order;
  return [
    {
      order_id: orderId,
      tenant_id: tenantId,
      name: tenantName,
      plan_id: planId,
      interval: billingInterval === '' ? null : billingInterval,
      us_dollars: (amountCents / 100).toFixed(2),
      provider,
      status,
      created_utc: second(createdTsMs),
      fulfilled_utc: secondOrNull(fulfilledTsMs),
    },
  ];
}

const SCOPES = {
  read: account.Scope.READ,
  export: account.Scope.EXPORT,
  automation: account.Scope.AUTOMATION,
  account: account.Scope.ACCOUNT,
} as const satisfies Record<ScopeWord, account.Scope>;

export async function listKeys(calls: AccountCalls, idOrName: string): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, idOrName);
  const keys = await everyPage(
    (page) => calls.keys.listKeys({ tenantId, ...page }),
    (page) => page.keys,
  );
  const result = keys.map((key) => ({
    key_id: key.keyId,
    name: key.name,
    display: `${key.displayFirst}…${key.displayLast}`,
    scopes: key.scopes.map(wordOf).join(','),
    state: stateOf(key),
    created_utc: second(key.createdTsMs),
    expires_utc: secondOrNull(key.expiresTsMs),
    last_used_utc: secondOrNull(key.lastUsedTsMs),
  }));
  const titles = ['key', 'name', 'shown as', 'scopes', 'state', 'created', 'ends', 'last used'];
  return { result, lines: wholeTable(titles, result.map(cellsOf('never'))) };
}

export interface KeyOrder {
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly ScopeWord[];
  /** Epoch milliseconds; undefined: never. */
  readonly expiresMs?: number;
}

/** Prints only the key on stdout; it can't be shown again. */
export async function issueKey(calls: AccountCalls, { tenant, name, scopes, expiresMs }: KeyOrder): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, tenant);
  const order = { tenantId, name, kind: account.KeyKind.LIVE, scopes: scopes.map((word) => SCOPES[word]), expiresTsMs: expiresMs ?? 0 };
  const { key, record } = await calls.keys.createKey(order);
  const keyId = record?.keyId ?? '';
  return {
    result: { key, key_id: keyId, tenant_id: tenantId },
    lines: [key],
    notes: [`Created ${keyId} for ${tenantId}. The key is shown only once; save it now.`],
  };
}

export async function revokeKey(calls: AccountCalls, keyId: string): Promise<OperatorResult> {
  await calls.keys.revokeKey({ keyId, tenantId: '' });
  return { result: { key_id: keyId, state: 'revoked' }, lines: [`${keyId} has been revoked.`] };
}

function wordOf(scope: account.Scope): string {
  return Object.entries(SCOPES).find(([, known]) => known === scope)?.[0] ?? '?';
}

function stateOf({ revokedTsMs, expiresTsMs }: account.KeyRecord): string {
  if (revokedTsMs !== 0) return 'revoked';
  return expiresTsMs !== 0 && expiresTsMs <= Date.now() ? 'expired' : 'active';
}

export interface Gift {
  readonly tenant: string;
  readonly marketStateCredits: number;
  readonly exportCredits: number;
  /** Epoch milliseconds; undefined: never. */
  readonly expiresMs?: number;
  readonly note: string;
}

export async function giveCredits(
  calls: AccountCalls,
  { tenant, marketStateCredits, exportCredits, expiresMs, note }: Gift,
): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, tenant);
  const { marketStateAvailable, exportAvailable } = await calls.operator.grantCredits({
    tenantId,
    marketStateCredits,
    exportCredits,
    expiresTsMs: expiresMs ?? 0,
    note,
  });
  const result = { tenant_id: tenantId, market_state_credits: marketStateAvailable, export_credits: exportAvailable };
  return {
    result,
    lines: [`${tenantId} now has ${count(marketStateAvailable)} market-state and ${count(exportAvailable)} export credits.`],
  };
}

/** Prints only the token on stdout; it can't be shown again. */
export async function makeClaimToken(calls: AccountCalls, tenant: string): Promise<OperatorResult> {
  const { tenantId } = await findTenant(calls, tenant);
  const { claimToken, expiresTsMs } = await calls.operator.createClaimToken({ tenantId });
  return {
    result: { claim_token: claimToken, tenant_id: tenantId, valid_until_utc: instant(expiresTsMs) },
    lines: [claimToken],
    notes: [`Links one account to ${tenantId}; valid until ${instant(expiresTsMs)}. The token is shown only once; save it now.`],
  };
}

/** Recomputes every balance from its entries; prints one line per difference. */
export async function auditLedger(calls: AccountCalls, tenant: string | undefined): Promise<OperatorResult> {
  const tenantId = await idOf(calls, tenant);
  const { tenants, postings, entries, faults } = await calls.operator.auditLedger({ tenantId });
  const seen = `${counted(tenants, 'tenant')}, ${counted(postings, 'posting')}, ${counted(entries, 'entry', 'entries')}`;
  const result = {
    tenants,
    postings,
    entries,
    differences: faults.map((fault) => ({ tenant_id: fault.tenantId, message: fault.message })),
  };
  if (faults.length === 0) return { result, lines: [`${seen}: every balance matches its entries`] };
  const rows = faults.map((fault) => [fault.tenantId, fault.message]);
  return {
    result,
    lines: [`${seen}: ${counted(faults.length, 'difference')}`, ...wholeTable(['tenant', 'difference'], rows)],
    exitCode: EXIT.different,
  };
}
