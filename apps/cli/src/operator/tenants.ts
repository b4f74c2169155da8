import { account } from '@market-state/contracts';
import { badInput } from '../cli-error';
import { count, second } from '../io/instant';
import { wholeTable } from '../io/table';
import type { AccountCalls } from './account-service';
import type { RenewalWord, WantedPlan } from './plan-options';
import type { Done } from './done';

const PAGE_SIZE = 1_000;

const RENEWALS = {
  none: account.Renewal.NONE,
  daily: account.Renewal.DAILY,
  monthly: account.Renewal.MONTHLY,
} as const satisfies Record<RenewalWord, account.Renewal>;

/** Every tenant, oldest first. */
export async function listTenants(calls: AccountCalls): Promise<Done> {
  const tenants: account.OperatorTenant[] = [];
  for await (const tenant of allTenants(calls)) tenants.push(tenant);
  return { lines: tenantTable(tenants) };
}

/** A tenant with that name, with the plan where one is wanted. */
export async function createTenant(calls: AccountCalls, name: string, plan: WantedPlan | undefined): Promise<Done> {
  for await (const tenant of allTenants(calls))
    if (tenant.name === name) throw badInput(`There is a tenant named ${JSON.stringify(name)} already: ${tenant.tenantId}.`);
  return ensureTenant(calls, name, plan);
}

/** Another plan for a tenant that is there. */
export async function setPlan(calls: AccountCalls, idOrName: string, plan: WantedPlan): Promise<Done> {
  const { name } = await findTenant(calls, idOrName);
  return ensureTenant(calls, name, plan);
}

export async function setTenantDisabled(calls: AccountCalls, idOrName: string, disabled: boolean): Promise<Done> {
  const { tenantId } = await findTenant(calls, idOrName);
  const { tenant } = await calls.operator.setTenantDisabled({ tenantId, disabled });
  return { lines: tenantTable(tenant === undefined ? [] : [tenant]) };
}

/** The tenant with that id, else the one with that name. @throws CliError (bad input) when there is none */
export async function findTenant(calls: AccountCalls, idOrName: string): Promise<account.OperatorTenant> {
  let named: account.OperatorTenant | undefined;
  for await (const tenant of allTenants(calls)) {
    if (tenant.tenantId === idOrName) return tenant;
    if (tenant.name === idOrName) named = tenant;
  }
  if (named === undefined)
    throw badInput(`There is no tenant with the id or name ${JSON.stringify(idOrName)}; "market-state tenants list" lists them.`);
  return named;
}

async function ensureTenant({ operator }: AccountCalls, name: string, plan: WantedPlan | undefined): Promise<Done> {
  const wanted = plan === undefined ? { planId: '', renewal: account.Renewal.UNSPECIFIED } : { ...plan, renewal: RENEWALS[plan.renewal] };
  const { tenant } = await operator.ensureTenant({ name, ...wanted });
  return { lines: tenantTable(tenant === undefined ? [] : [tenant]) };
}

async function* allTenants({ operator }: AccountCalls): AsyncGenerator<account.OperatorTenant> {
  let cursor = '';
  do {
    const page = await operator.listTenants({ limit: PAGE_SIZE, cursor });
    yield* page.tenants;
    cursor = page.nextCursor;
  } while (cursor !== '');
}

function tenantTable(tenants: readonly account.OperatorTenant[]): readonly string[] {
  const rows = tenants.map((tenant) => [
    tenant.tenantId,
    tenant.name,
    tenant.planId === '' ? '-' : tenant.planId,
    Object.entries(RENEWALS).find(([, renewal]) => renewal === tenant.renewal)?.[0] ?? '-',
    tenant.disabled ? 'disabled' : 'enabled',
    second(tenant.createdTsMs),
    count(tenant.marketStateAvailable),
    count(tenant.exportAvailable),
  ]);
  return wholeTable(['tenant', 'name', 'plan', 'renewal', 'state', 'created', 'market-state credits', 'export credits'], rows, 6);
}
