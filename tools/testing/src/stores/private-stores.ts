import { type DatabaseService, migrate, startStores, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import type { Pool } from 'pg';

/** A Postgres and a Redis that nobody else uses, with the services' migrations: for whatever kills, restarts or fills stores. */
export async function openPrivateStores(closer: Closer, ...services: readonly DatabaseService[]): Promise<Stores> {
  const stores = await startStores();
  closer.add('stores', () => stores.stop());
  await migrate(stores.migrationTargets(services));
  return stores;
}

/** One statement may read all that a run has left. */
const READ_WHOLE_MS = 120_000;

/** Connections by which a run's results are read. */
export function openPool(closer: Closer, url: string): Pool {
  const pool = createPool({ url, logger: silentLogger(), applicationName: 'testing', statementTimeoutMs: READ_WHOLE_MS });
  closer.add('pool', () => pool.end());
  return pool;
}
