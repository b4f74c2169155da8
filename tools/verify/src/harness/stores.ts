import { type DatabaseService, migrate, startStores, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';

/** A Postgres and a Redis that nobody else uses, so that a suite may do to them what it likes; with the services' migrations. */
export async function openStores(closer: Closer, ...services: readonly DatabaseService[]): Promise<Stores> {
  const stores = await startStores();
  closer.add('stores', () => stores.stop());
  await migrate(stores.migrationTargets(services));
  return stores;
}

/** A suite reads all that a run has left in one statement. */
const READ_WHOLE_MS = 120_000;

/** For what a suite reads in a database. */
export function openPool(closer: Closer, url: string): Pool {
  const pool = createPool({ url, logger: silentLogger(), applicationName: 'verify', statementTimeoutMs: READ_WHOLE_MS });
  closer.add('pool', () => pool.end());
  return pool;
}
