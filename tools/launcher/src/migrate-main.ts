import { migrate } from './migrations/migrate';
import { databaseServices } from './stores/services';
import { startStores } from './stores/start-stores';
import { readStartSettings } from './start-settings';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

main().catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/** Brings the databases that `npm start` would use up to their migrations. */
async function main(): Promise<void> {
  const { dataDir, stores: given } = await readStartSettings({ ...process.env, PORT: undefined }, () => undefined);
  const stores = await startStores({ dataDir, given, say });
  try {
    const applied = await migrate(stores.migrationTargets());
    for (const service of databaseServices) say(`${service}: ${applied[service]?.join(', ') || 'up to date'}`);
  } finally {
    await stores.stop();
  }
}
