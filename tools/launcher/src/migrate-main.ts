import { migrate } from './migrations/migrate';
import { migrateService } from './migrations/migrate-service';
import { databaseServices } from './stores/services';
import { startStores } from './stores/start-stores';
import { readStartSettings } from './start-settings';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.umask(0o077);
main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/** Brings the databases that `npm start` would use up to their migrations; with the name of a service, its database alone. */
async function main([service, ...more]: readonly string[]): Promise<void> {
  if (more.length > 0) throw new Error(`migrate takes the name of one service, and was given ${more.join(' ')} beside it.`);
  if (service !== undefined) return sayApplied(service, await migrateService(service, process.env));
  const { dataDir, stores: given } = await readStartSettings({ ...process.env, PORT: undefined }, () => undefined);
  const stores = await startStores({ dataDir, given, say });
  try {
    const applied = await migrate(stores.migrationTargets());
    for (const name of databaseServices) sayApplied(name, applied[name]);
  } finally {
    await stores.stop();
  }
}

function sayApplied(service: string, migrations: readonly string[] = []): void {
  say(`${service}: ${migrations.join(', ') || 'up to date'}`);
}
