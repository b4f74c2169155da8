import { migrate, migrationFilesOf } from '../src/migrations/migrate';
import { databaseServices } from '../src/stores/databases';
import { startStores } from '../src/stores/start-stores';

test('two concurrent migrations of all services apply each script once, and a third run none', async () => {
  const stores = await startStores();
  try {
    const targets = stores.migrationTargets();
    const both = await Promise.all([migrate(targets), migrate(targets)]);
    for (const service of databaseServices) {
      const applied = both.flatMap((result) => result[service] ?? []);
      expect([...applied].sort()).toEqual(migrationFilesOf(service).map(({ name }) => name));
    }
    expect(await migrate(targets)).toEqual({});
  } finally {
    await stores.stop();
  }
});
