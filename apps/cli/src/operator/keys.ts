import { account } from '@market-state/contracts';
import { second } from '../io/instant';
import { wholeTable } from '../io/table';
import type { AccountCalls } from './account-service';
import type { ScopeWord } from './scopes';
import type { Done } from './done';
import { findTenant } from './tenants';

const PAGE_SIZE = 1_000;

const SCOPES = {
  read: account.Scope.READ,
  export: account.Scope.EXPORT,
  automation: account.Scope.AUTOMATION,
  account: account.Scope.ACCOUNT,
} as const satisfies Record<ScopeWord, account.Scope>;

/** Keys of a tenant, newest first; never a whole key. */
export async function listKeys(calls: AccountCalls, idOrName: string): Promise<Done> {
  const { tenantId } = await findTenant(calls, idOrName);
  const keys: account.KeyRecord[] = [];
  let cursor = '';
  do {
    const page = await calls.keys.listKeys({ tenantId, limit: PAGE_SIZE, cursor });
    keys.push(...page.keys);
    cursor = page.nextCursor;
  } while (cursor !== '');
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    `${key.displayFirst}…${key.displayLast}`,
    key.scopes.map(wordOf).join(','),
    stateOf(key),
    second(key.createdTsMs),
    key.expiresTsMs === 0 ? 'never' : second(key.expiresTsMs),
    key.lastUsedTsMs === 0 ? 'never' : second(key.lastUsedTsMs),
  ]);
  return { lines: wholeTable(['key', 'name', 'shown as', 'scopes', 'state', 'created', 'ends', 'last used'], rows) };
}

/** A key to make. */
export interface KeyOrder {
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly ScopeWord[];
  /** Milliseconds since the epoch; undefined: never. */
  readonly expiresMs?: number;
}

/** Makes a live key: alone on stdout, told this once. */
export async function issueKey(calls: AccountCalls, { tenant, name, scopes, expiresMs }: KeyOrder): Promise<Done> {
  const { tenantId } = await findTenant(calls, tenant);
  const order = { tenantId, name, kind: account.KeyKind.LIVE, scopes: scopes.map((word) => SCOPES[word]), expiresTsMs: expiresMs ?? 0 };
  const { key, record } = await calls.keys.createKey(order);
  return { lines: [key], notes: [`Key ${record?.keyId ?? ''} of ${tenantId}. It is shown only this once: save it now.`] };
}

export async function revokeKey(calls: AccountCalls, keyId: string): Promise<Done> {
  await calls.keys.revokeKey({ keyId, tenantId: '' });
  return { lines: [`${keyId} is revoked.`] };
}

function wordOf(scope: account.Scope): string {
  return Object.entries(SCOPES).find(([, known]) => known === scope)?.[0] ?? '?';
}

function stateOf({ revokedTsMs, expiresTsMs }: account.KeyRecord): string {
  if (revokedTsMs !== 0) return 'revoked';
  return expiresTsMs !== 0 && expiresTsMs <= Date.now() ? 'expired' : 'active';
}
