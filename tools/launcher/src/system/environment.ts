import { join, resolve } from 'node:path';
import { fileVariableOf } from '@market-state/config';
import type { RpcAccess } from '../rpc-access';
import type { Stores } from '../stores/start-stores';
import { workspaceRoot } from '../workspace-root';
import { definitions, type ProcessDefinition } from '../services';
import { DEMO_TENANT } from './demo-key';
import { demoAuthorityFile, isTriedOut } from './demo-certificates';
import { keptKeyRing, keptSecret } from './secrets';

const BUCKETS = /^(S3|AWS)_\w+$/;
const STORE_PLACES = ['ARCHIVE_URL', 'EXPORT_URL'];

function isOfStores(name: string): boolean {
  return STORE_PLACES.includes(name) || BUCKETS.test(name);
}

function inheritedOfStores(env: NodeJS.ProcessEnv): readonly string[] {
  const hasBucket = STORE_PLACES.some((name) => isBucket(env[name]));
  return Object.keys(env).filter((name) => STORE_PLACES.includes(name) || (hasBucket && BUCKETS.test(name)));
}

function storesOf(
  { usesArchive, usesExports }: Pick<ProcessDefinition, 'usesArchive' | 'usesExports'>,
  dataDir: string,
  settings: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const places = {
    ...(usesArchive === true ? { ARCHIVE_URL: placeOf(settings['ARCHIVE_URL'], dataDir, 'archive') } : {}),
    ...(usesExports === true ? { EXPORT_URL: placeOf(settings['EXPORT_URL'], dataDir, 'exports') } : {}),
  };
  if (!Object.values(places).some(isBucket)) return places;
  return {
    ...places,
    ...Object.fromEntries(Object.entries(settings).filter(([name]) => BUCKETS.test(name))),
    S3_CACHE_DIR: resolve(settings['S3_CACHE_DIR'] || join(dataDir, 'cache')),
  };
}

function isBucket(place: string | undefined): boolean {
  return place?.startsWith('s3:') === true;
}

function placeOf(given: string | undefined, dataDir: string, folder: string): string {
  const place = given || join(dataDir, folder);
  return /^[a-z0-9]+:/.test(place) ? place : resolve(place);
}

export interface ProcessPorts {
  ops: number;
  grpc?: number;
  public?: number;
}

const COMMON = ['PATH', 'HOME', 'TMPDIR', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'LOG_LEVEL', 'TLS_DIR', 'OTEL_*'];
const PLACES = ['SIGNING_KEY_FILE'];

const inherited = matching([
  ...COMMON,
  ...PLACES,
  ...definitions.flatMap((definition) => [...ownNames(definition), ...(definition.settings ?? [])]),
]);

function matching(names: readonly string[]): RegExp {
  return new RegExp(`^(${names.map((name) => name.replace('*', '\\w*')).join('|')})$`);
}

export function inheritedVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ofStores = inheritedOfStores(env);
  return Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name) || ofStores.includes(name)));
}

/** Makes file paths absolute, because processes run in their own folders. */
export function withAbsolutePaths(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    INSTRUMENTS_FILE: instrumentsFile,
    FEED_FILE: feedFile,
    OUTBOX_DIR: outboxDir,
    PORTAL_DIR: portalDir,
    DOCS_DIR: docsDir,
  } = settings;
  return {
    ...settings,
    ...(instrumentsFile ? { INSTRUMENTS_FILE: resolve(instrumentsFile) } : {}),
    ...(portalDir ? { PORTAL_DIR: resolve(portalDir) } : {}),
    ...(docsDir ? { DOCS_DIR: resolve(docsDir) } : {}),
    ...(outboxDir ? { OUTBOX_DIR: resolve(outboxDir) } : {}),
    ...(feedFile ? { FEED_FILE: feedFile.split(';').map(withAbsoluteFiles).join(';') } : {}),
    ...Object.fromEntries(secretFiles.flatMap((name) => (settings[name] ? [[name, resolve(settings[name])]] : []))),
  };
}

/** Handles `SYMBOL=path[,path2]`; the feed rejects anything else. */
function withAbsoluteFiles(part: string): string {
  const [symbol = '', ...paths] = part.split('=');
  if (paths.length === 0) return part;
  const files = paths.join('=').split(',');
  return `${symbol}=${files.map((file) => (file.trim() === '' ? file : resolve(file.trim()))).join(',')}`;
}

/** Variables visible only to processes that name them; TLS_DIR is passed to each as the paths of its own files. */
const exclusive = matching(['TLS_DIR', ...definitions.flatMap(ownNames)]);

function ownNames({ secrets = [], keyRings = [], ownSettings = [], demoSettings = {} }: ProcessDefinition): readonly string[] {
  const made = [...secrets, ...keyRings];
  return [...made, ...made.map(fileVariableOf), ...ownSettings, ...Object.keys(demoSettings)];
}

const secretFiles = definitions.flatMap(ownNames).filter((name) => name.endsWith('_FILE'));

function secretsOf({ secrets = [], keyRings = [] }: ProcessDefinition, dataDir: string, settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isMade = (name: string): boolean => !settings[name] && !settings[fileVariableOf(name)];
  return Object.fromEntries([
    ...secrets.filter(isMade).map((name) => [name, keptSecret(dataDir, name)]),
    ...keyRings.filter(isMade).map((name) => [name, keptKeyRing(dataDir, name)]),
  ]);
}

/**
 * False in production, and if the operator allows no test targets or names an authority for them. The operator's
 * targets replace the default.
 */
export function hasDemoSettings(settings: NodeJS.ProcessEnv): boolean {
  const { WEBHOOK_TEST_TARGETS: targets, WEBHOOK_TEST_CA_FILE: authority } = settings;
  return isTriedOut(settings) && targets !== '' && authority === undefined;
}

function defaultsOf(
  { defaults = {}, demoSettings = {} }: ProcessDefinition,
  settings: NodeJS.ProcessEnv,
  values: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const wanted = { ...defaults, ...(hasDemoSettings(settings) ? demoSettings : {}) };
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  return Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, fill(text)]));
}

function publicUrlOf(ports: ReadonlyMap<string, ProcessPorts>): string {
  const port = [...ports.values()].find((own) => own.public !== undefined)?.public ?? 0;
  return `http://127.0.0.1:${port}`;
}

export interface EnvironmentContext {
  dataDir: string;
  stores: Pick<Stores, 'postgresUrl' | 'redisUrl'>;
  settings: NodeJS.ProcessEnv;
  rpc: Pick<RpcAccess, 'variablesOf'>;
}

function usesRedis({ usesEventLog, countsCalls, usesQueue }: ProcessDefinition): boolean {
  return usesEventLog === true || countsCalls === true || usesQueue === true;
}

/**
 * Returns blocks of this size to the system when they are freed, among them those in which V8 compiles a program: 12 MB
 * less per process at rest.
 */
const RETURNED_BYTES_MIN = '32000';

/**
 * For busy processes, to which that would cost CPU time. It is the default, but once set it no longer grows with the
 * largest block freed: 10 to 20 MB less per process at rest.
 */
const TRIMMED_BYTES_MIN = '131072';

/** On one machine no load balancer must notice a stop, and one allocation arena suffices for single-threaded work. */
export function environmentOf(
  definition: ProcessDefinition,
  ports: ReadonlyMap<string, ProcessPorts>,
  addresses: NodeJS.ProcessEnv,
  { dataDir, stores, settings, rpc }: EnvironmentContext,
): NodeJS.ProcessEnv {
  const { SIGNING_KEY_FILE: signingKeyFile, ...rest } = settings;
  const shared = Object.fromEntries(
    Object.entries(rest).filter(([name]) => !isOfStores(name) && (!exclusive.test(name) || matching(ownNames(definition)).test(name))),
  );
  const own = ports.get(definition.name);
  return {
    NODE_ENV: 'development',
    SHUTDOWN_WAIT_MS: '0',
    ...defaultsOf(definition, settings, {
      dataDir,
      publicUrl: publicUrlOf(ports),
      demoTenant: DEMO_TENANT,
      demoAuthority: demoAuthorityFile(dataDir),
      portal: join(workspaceRoot(), 'dist', 'portal'),
      docs: join(workspaceRoot(), 'dist', 'docs'),
    }),
    ...shared,
    ...secretsOf(definition, dataDir, settings),
    TZ: 'UTC',
    MALLOC_ARENA_MAX: '1',
    ...(definition.isBusy === true ? { MALLOC_TRIM_THRESHOLD_: TRIMMED_BYTES_MIN } : { MALLOC_MMAP_THRESHOLD_: RETURNED_BYTES_MIN }),
    MARKET_STATE_ROOT: workspaceRoot(),
    OPS_PORT: String(own?.ops),
    ...(own?.grpc === undefined ? {} : { GRPC_ADDRESS: `127.0.0.1:${own.grpc}` }),
    ...(own?.public === undefined ? {} : { PORT: String(own.public) }),
    ...(definition.database === undefined ? {} : { DATABASE_URL: stores.postgresUrl(definition.database) }),
    ...(usesRedis(definition) ? { REDIS_URL: stores.redisUrl } : {}),
    ...(definition.signsPackets === true ? { SIGNING_KEY_FILE: resolve(signingKeyFile || join(dataDir, 'signing-key.pem')) } : {}),
    ...storesOf(definition, dataDir, settings),
    ...rpc.variablesOf(definition.name),
    ...addresses,
  };
}
