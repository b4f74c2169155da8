import { type Deployed, processAt } from '../deployed';
import { argumentsOf, imageOf, PORTS, SECRETS_FOLDER } from '../places';
import { migrationOf } from '../kubernetes/migration';
import { pathOfSecret } from '../variables';
import { askReadiness, confined, kept, mounted, settingOf, SHARED } from './parts';
import { certificateOf, type MountedFile, OWN_SECRETS, secretOfService } from './secret-places';

/** The files of a process. */
export function filesOf({ name, service, variables }: Deployed): readonly MountedFile[] {
  return [...variables.secrets.map((secret) => secretOfService(service, secret)), ...certificateOf({ name })];
}

/** The files of the program that makes the database of a service and migrates it. */
export function filesOfMigration(service: string): readonly MountedFile[] {
  const own = ['DATABASE_URL', 'MIGRATION_DATABASE_URL'].map((name) => secretOfService(service, { name }));
  return [...own, OWN_SECRETS.administrator];
}

function environmentOf({ variables: { fixed, addresses, secrets, settings } }: Deployed) {
  return {
    ...fixed,
    ...Object.fromEntries(addresses.map((name) => [name, `${processAt(name)}:${PORTS.rpc}`])),
    ...Object.fromEntries(secrets.map(({ name, variable }) => [variable, pathOfSecret(name)])),
    ...Object.fromEntries(settings.map((name) => [name, settingOf(name)])),
  };
}

function volumesOf({ definition: { usesArchive, usesExports }, variables: { settings } }: Deployed): readonly string[] {
  const used = [
    ...(usesArchive === true ? ['archive' as const] : []),
    ...(usesExports === true ? ['exports' as const] : []),
    ...(usesArchive === true || usesExports === true ? ['cache' as const] : []),
    ...(settings.includes('OUTBOX_DIR') ? ['outbox' as const] : []),
  ];
  return used.map((name) => `${name}:${SHARED[name]}`);
}

/** Migrations and stores are waited for; a process waits for the others by itself. */
function dependenciesOf({ service, definition, variables }: Deployed) {
  return {
    ...(definition.database === undefined ? {} : { [migrationOf(service)]: { condition: 'service_completed_successfully' } }),
    ...(variables.secrets.some(({ name }) => name === 'REDIS_URL') ? { redis: { condition: 'service_healthy' } } : {}),
  };
}

/** A process of ours. */
export function processService(process: Deployed, release: string) {
  const { name, service, workload, definition } = process;
  const volumes = volumesOf(process);
  return {
    image: imageOf(service, release),
    command: argumentsOf(name),
    ...kept,
    ...confined,
    mem_limit: `${workload.memoryMib.allowed}m`,
    stop_grace_period: `${workload.graceSeconds}s`,
    environment: environmentOf(process),
    secrets: mounted(filesOf(process)),
    ...(volumes.length === 0 ? {} : { volumes }),
    networks: ['inside', ...(definition.isPublic === true ? ['edge'] : []), ...(workload.callsOutside === undefined ? [] : ['outside'])],
    depends_on: dependenciesOf(process),
    healthcheck: askReadiness,
  };
}

/** What makes the database of a service where it is missing, migrates it, and ends. */
export function migrationService(service: string, release: string) {
  return {
    image: imageOf('migrate', release),
    command: argumentsOf('migrate', service),
    ...confined,
    logging: kept.logging,
    restart: 'on-failure:5',
    mem_limit: '512m',
    environment: {
      NODE_ENV: 'production',
      ...Object.fromEntries(
        ['DATABASE_URL', 'MIGRATION_DATABASE_URL', 'ADMIN_DATABASE_URL'].map((name) => [`${name}_FILE`, `${SECRETS_FOLDER}/${name}`]),
      ),
    },
    secrets: mounted(filesOfMigration(service)),
    networks: ['inside'],
    depends_on: { postgres: { condition: 'service_healthy' } },
  };
}
