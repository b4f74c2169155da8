import { type Queryable, run } from '@market-state/postgres';
import { type Selectable, sql } from 'kysely';
import type { SavedSearch as SavedSearchTable } from './generated/tables';
import type { ListPage } from './list-page';
import { tables } from './tables';

export interface SavedSearch {
  readonly savedSearchId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export type SavedSearchKey = Pick<SavedSearch, 'tenantId' | 'savedSearchId'>;

type SearchRow = Selectable<SavedSearchTable>;

function fromRow(row: SearchRow): SavedSearch {
  return {
    savedSearchId: row.saved_search_id,
    tenantId: row.tenant_id,
    name: row.name,
    query: row.query as SavedSearch['query'],
    createdMs: Number(row.created_ms),
    updatedMs: Number(row.updated_ms),
  };
}

/** Serialises a tenant's creations, so that its limit holds. */
export async function lockTenantSearches(on: Queryable, tenantId: string): Promise<void> {
  await on.query(`SELECT pg_advisory_xact_lock(hashtextextended('saved searches ' || $1, 0))`, [tenantId]);
}

export async function countSearches(on: Queryable, tenantId: string): Promise<number> {
  const { rows } = await on.query<{ total: number }>('SELECT count(*)::int AS total FROM saved_search WHERE tenant_id = $1', [tenantId]);
  return rows[0]?.total ?? 0;
}

export async function insertSearch(on: Queryable, search: SavedSearch, operationId: string): Promise<void> {
  await run(
    on,
    tables.insertInto('saved_search').values({
      saved_search_id: search.savedSearchId,
      tenant_id: search.tenantId,
      operation_id: operationId,
      name: search.name,
      query: JSON.stringify(search.query),
      created_ms: String(search.createdMs),
      updated_ms: String(search.updatedMs),
    }),
  );
}

export async function findSearch(on: Queryable, { tenantId, savedSearchId }: SavedSearchKey): Promise<SavedSearch | undefined> {
  const statement = tables.selectFrom('saved_search').selectAll();
  const { rows } = await run<SearchRow>(on, statement.where('saved_search_id', '=', savedSearchId).where('tenant_id', '=', tenantId));
  return rows.map(fromRow)[0];
}

export async function findSearchOfOperation(on: Queryable, tenantId: string, operationId: string): Promise<SavedSearch | undefined> {
  const statement = tables.selectFrom('saved_search').selectAll();
  const { rows } = await run<SearchRow>(on, statement.where('operation_id', '=', operationId).where('tenant_id', '=', tenantId));
  return rows.map(fromRow)[0];
}

export async function changeSearch(
  on: Queryable,
  { tenantId, savedSearchId }: SavedSearchKey,
  { name, query }: { readonly name: string | undefined; readonly query: SavedSearch['query'] | undefined },
  nowMs: number,
): Promise<SavedSearch | undefined> {
  const statement = tables
    .updateTable('saved_search')
    .set({
      updated_ms: String(nowMs),
      ...(name === undefined ? {} : { name }),
      ...(query === undefined ? {} : { query: JSON.stringify(query) }),
    })
    .where('saved_search_id', '=', savedSearchId)
    .where('tenant_id', '=', tenantId)
    .returningAll();
  const { rows } = await run<SearchRow>(on, statement);
  return rows.map(fromRow)[0];
}

export async function removeSearch(on: Queryable, { tenantId, savedSearchId }: SavedSearchKey): Promise<SavedSearch | undefined> {
  const statement = tables.deleteFrom('saved_search').where('saved_search_id', '=', savedSearchId).where('tenant_id', '=', tenantId);
  const { rows } = await run<SearchRow>(on, statement.returningAll());
  return rows.map(fromRow)[0];
}

export async function listSearches(on: Queryable, tenantId: string, { after, limit }: ListPage): Promise<SavedSearch[]> {
  let statement = tables.selectFrom('saved_search').selectAll().where('tenant_id', '=', tenantId);
  if (after !== undefined) statement = statement.where(sql<boolean>`(created_ms, saved_search_id) < (${after.atMs}, ${after.id})`);
  const { rows } = await run<SearchRow>(on, statement.orderBy('created_ms', 'desc').orderBy('saved_search_id', 'desc').limit(limit));
  return rows.map(fromRow);
}
