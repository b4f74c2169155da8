import { type DatabaseService, migrate, startStores, type Stores } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

/** A Postgres and a Redis that nobody else uses, with the services' migrations: for whatever kills, restarts or fills stores. */
export async function openPrivateStores(closer: Closer, ...services: readonly DatabaseService[]): Promise<Stores> {
  const stores = await startStores();
  closer.add('stores', () => stores.stop());
  await migrate(stores.migrationTargets(services));
  return stores;
}
