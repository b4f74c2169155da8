import type { DatabaseService, System } from '@market-state/testing';
import pg from 'pg';

/** Rows of one statement on a service's own database, as its owner. */
export async function askDatabase<T extends pg.QueryResultRow>(
  system: System,
  service: DatabaseService,
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly T[]> {
  const client = new pg.Client(system.stores.ownerUrl(service));
  await client.connect();
  try {
    return (await client.query<T>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
