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
    if (databaseIn(own) === '' || databaseIn(own) !== databaseIn(other)) say('must name the database that DATABASE_URL names');
    if (roleOf(own) === roleOf(other)) say('must be of another role than DATABASE_URL: of the one that owns the database');
  });

/**
 * Brings the database of one service up to its migrations. `DATABASE_URL` is that of the service, `MIGRATION_DATABASE_URL` that of the
 * role that owns it. With `ADMIN_DATABASE_URL`, of a role that may make roles and databases, it makes both roles and the database
 * where they are missing and sets their passwords; without it they must be there. Each may be a file (`<NAME>_FILE`).
 * @returns the names of the migrations that were applied
 * @throws {ConfigError} naming every variable at fault
 * @throws Error when there is no such service or it has no database, and in Prisma's own words when a migration fails
 */
export async function migrateService(name: string, env: Environment): Promise<readonly string[]> {
  if (services[name] === undefined) throw new Error(`There is no service ${name}; there are ${Object.keys(services).join(', ')}.`);
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
