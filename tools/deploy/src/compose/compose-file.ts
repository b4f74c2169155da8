import { deployed, servicesWithDatabase, type Deployed, processAt } from '../deployed';
import { migrationOf } from '../kubernetes/pod';
import { PORTS, STORE_PORTS, argumentsOf, imageOf, SECRETS_FOLDER } from '../locations';
import { commentOf, yamlOf } from '../yaml-text';
import {
  EDGE,
  healthcheck,
  INSIDE,
  kept,
  mounted,
  SHARED,
  askReadiness,
  confined,
  settingOf,
  type MountedFile,
  OWN_SECRETS,
  certificateOf,
  secretOfService,
} from './parts';
import { pathOfSecret } from '../variables';

function filesOf({ name, service, variables }: Deployed): readonly MountedFile[] {
  return [...variables.secrets.map((secret) => secretOfService(service, secret)), ...certificateOf({ name })];
}

function filesOfMigration(service: string): readonly MountedFile[] {
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

/** Depends only on migrations and stores; processes wait for each other themselves. */
function dependenciesOf({ service, definition, variables }: Deployed) {
  return {
    ...(definition.database === undefined ? {} : { [migrationOf(service)]: { condition: 'service_completed_successfully' } }),
    ...(variables.secrets.some(({ name }) => name === 'REDIS_URL') ? { redis: { condition: 'service_healthy' } } : {}),
  };
}

function processService(process: Deployed, release: string) {
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

function migrationService(service: string, release: string) {
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

const { postgresPassword, redisUsers, siteCertificate } = OWN_SECRETS;

const postgres = {
  image: 'postgres:15.18@sha256:6eb0add3b77c081df18aa518ce43df58fdcc40f2e6d868a6fd08038dc7acd425',
  command: ['postgres', '-c', 'config_file=/etc/postgresql/postgresql.conf'],
  ...kept,
  mem_limit: '1024m',
  shm_size: '256m',
  stop_grace_period: '60s',
  environment: { POSTGRES_PASSWORD_FILE: postgresPassword.target, POSTGRES_INITDB_ARGS: '--auth=scram-sha-256 --encoding=UTF8 --locale=C' },
  secrets: mounted([postgresPassword]),
  volumes: ['postgres:/var/lib/postgresql/data', '../postgres/postgresql.conf:/etc/postgresql/postgresql.conf:ro'],
  networks: ['inside'],
  healthcheck: healthcheck(['CMD', 'pg_isready', '-h', '127.0.0.1', '-p', String(STORE_PORTS.postgres), '-U', 'postgres']),
};

const redis = {
  image: 'redis:8.2.3-alpine@sha256:08ad0b1d280850169a790dba1393ff7a90aef951fc19632cf4d3ce4f78e679ba',
  command: ['redis-server', '/etc/redis/redis.conf', '--aclfile', redisUsers.target],
  ...kept,
  mem_limit: '1024m',
  stop_grace_period: '30s',
  secrets: mounted([redisUsers]),
  volumes: ['redis:/data', '../redis/redis.conf:/etc/redis/redis.conf:ro'],
  networks: ['inside'],
  // A demand for a password also shows that it is up.
  healthcheck: healthcheck(['CMD-SHELL', "redis-cli ping 2>&1 | grep -Eq 'PONG|NOAUTH'"]),
};

const haproxy = {
  image: 'haproxy:3.2.12-alpine@sha256:15ef8657ec12e7b19d5b6b6b6fcf6839a0e3cdae85d275be6c867e8a2690f33f',
  ...kept,
  mem_limit: '256m',
  ports: ['${HTTP_PORT:-80}:8080', '${HTTPS_PORT:-443}:8443'],
  environment: {
    HTTP_ADDRESS: ':8080',
    HTTPS_ADDRESS: ':8443',
    SITE_CERTIFICATE: siteCertificate.target,
    GATEWAY_ADDRESS: `gateway:${PORTS.public}`,
  },
  secrets: mounted([siteCertificate]),
  volumes: ['../haproxy/haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro'],
  networks: ['edge'],
  depends_on: { gateway: { condition: 'service_started' } },
  healthcheck: healthcheck(['CMD', 'bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/8080']),
};

function secretsOf(files: readonly MountedFile[]) {
  return Object.fromEntries(files.map(({ source, file }) => [source, { file: `./${file}` }]));
}

export function composeFile(release: string): string {
  const migrations = servicesWithDatabase.map((service) => [migrationOf(service), migrationService(service, release)]);
  const files = [...Object.values(OWN_SECRETS), ...servicesWithDatabase.flatMap(filesOfMigration), ...deployed.flatMap(filesOf)];
  const file = {
    name: 'market-state',
    services: {
      postgres,
      redis,
      ...Object.fromEntries(migrations),
      ...Object.fromEntries(deployed.map((process) => [process.name, processService(process, release)])),
      haproxy,
    },
    networks: {
      inside: { internal: true, ipam: { config: [{ subnet: INSIDE }] } },
      outside: {},
      edge: { ipam: { config: [{ subnet: EDGE }] } },
    },
    volumes: Object.fromEntries(['postgres', 'redis', ...Object.keys(SHARED)].map((name) => [name, {}])),
    secrets: secretsOf(files),
  };
  return commentOf() + yamlOf([file]);
}
