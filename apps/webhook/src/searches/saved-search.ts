import type { Pool } from 'pg';

/** Parameters of an event search that a tenant keeps under a name. Times are milliseconds since the epoch. */
export interface SavedSearch {
  readonly savedSearchId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export type SavedSearchKey = Pick<SavedSearch, 'tenantId' | 'savedSearchId'>;

/** What the RPCs about saved searches use. */
export interface SearchDeps {
  readonly pool: Pool;
  readonly clock: () => number;
}
