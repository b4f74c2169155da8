import { type Environment, postgresUrl, readConfig } from '@market-state/config';
import { z } from 'zod';
import { migrate } from './migrations/migrate';
import { databaseServices, databaseIn, roleOf } from './stores/databases';
import { startStores } from './stores/start-stores';
import { readStartSettings } from './start-settings';
import { databaseOf, services } from './services';
import { ensureDatabases } from './stores/service-roles';

const variables = z
  .object({ DATABASE_URL: postgresUrl, MIGRATION_DATABASE_URL: postgresUrl, ADMIN_DATABASE_URL: postgresUrl.optional() })
  .superRefine((read, context) => {
    const say = (message: string): void => context.addIssue({ code: 'custom', path: ['MIGRATION_DATABASE_URL'], message });
    const [own, other] = [read.DATABASE_URL, read.MIGRATION_DATABASE_URL];
    if (databaseIn(own) === '' || databaseIn(own) !== databaseIn(other)) say('must name the same database as DATABASE_URL');
    if (roleOf(own) === roleOf(other)) say('must use a different role than DATABASE_URL: the owner of the database');
  });

/**
 * Migrates one service's database. `DATABASE_URL` uses the service's role, `MIGRATION_DATABASE_URL` the owner's.
 * `ADMIN_DATABASE_URL`, if set, creates missing roles and the database. Each may be a file (`<NAME>_FILE`).
 * @returns the applied migrations
 * @throws {ConfigError} naming every invalid variable
 */
export async function migrateService(name: string, env: Environment): Promise<readonly string[]> {
  if (services[name] === undefined) throw new Error(`There is no service ${name}. Services: ${Object.keys(services).join(', ')}.`);
  const service = databaseOf(name);
  const { DATABASE_URL: application, MIGRATION_DATABASE_URL: owner, ADMIN_DATABASE_URL: adminUrl } = readConfig(variables, env);
  if (adminUrl !== undefined) await ensureDatabases(adminUrl, [{ application, owner }]);
  const applied = await migrate([{ service, url: owner, application: roleOf(application) }]);
  return applied[service] ?? [];
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.umask(0o077);
main(process.argv.slice(2)).catch((error: unknown) => {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

async function main([service, ...more]: readonly string[]): Promise<void> {
  if (more.length > 0) throw new Error(`migrate takes one service name; unexpected: ${more.join(' ')}.`);
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
