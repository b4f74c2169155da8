import { join, resolve } from 'node:path';
import type { RpcAccess } from '../rpc/rpc-access';
import type { Stores } from '../stores/start-stores';
import { workspaceRoot } from '../workspace-root';
import { definitions } from './definitions';
import type { ProcessDefinition } from './definitions';
import { keptSecret } from './secrets';

/** The loopback ports of one process. */
export interface ProcessPorts {
  ops: number;
  grpc?: number;
  public?: number;
}

const inherited =
  /^(PATH|HOME|TMPDIR|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|LOG_LEVEL|SIGNING_KEY_FILE|TLS_DIR|PUBLIC_BASE_URL|PUBLIC_RATE_PER_MINUTE|PUBLIC_BURST|STATIC_RATE_PER_MINUTE|STATIC_BURST|REFUSED_RATE_PER_MINUTE|REFUSED_BURST|ALLOWED_ORIGINS|PUBLIC_HOSTS|TRUSTED_PROXIES|CONNECTIONS_PER_ADDRESS|ALLOW_TRIALS|TRIALS_PER_ADDRESS|TRIALS_PER_DAY|CLAIM_MAILS_PER_DAY|ACCOUNT_VERIFICATION|SANDBOX_KEYS_PER_DAY|ANSWER_SECRET|QUOTE_SECRET|OUTBOX_DIR|SMTP_URL|MAIL_FROM|STRIPE_\w+|GATEWAY_COUNT|FEED|FEED_\w+|SYMBOLS|INSTRUMENTS_FILE|HYPERLIQUID_\w+|BINANCE_\w+|ARCHIVE_DIR|HOT_DAYS\w*|ARCHIVE_DAYS\w*|OTEL_\w+)$/;

/** Those variables of our own environment that our processes may see: settings of theirs, and what any program needs. */
export function inheritedVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => inherited.test(name)));
}

/** The same settings with the paths of files made absolute: processes run in a folder of their own. */
export function withAbsolutePaths(settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { INSTRUMENTS_FILE: instrumentsFile, FEED_FILE: feedFile, OUTBOX_DIR: outboxDir } = settings;
  return {
    ...settings,
    ...(instrumentsFile ? { INSTRUMENTS_FILE: resolve(instrumentsFile) } : {}),
    ...(outboxDir ? { OUTBOX_DIR: resolve(outboxDir) } : {}),
    ...(feedFile ? { FEED_FILE: feedFile.split(';').map(withAbsoluteFiles).join(';') } : {}),
  };
}

/** Of `SYMBOL=path[,path2]`; anything else is for the feed to refuse. */
function withAbsoluteFiles(part: string): string {
  const [symbol = '', ...paths] = part.split('=');
  if (paths.length === 0) return part;
  const files = paths.join('=').split(',');
  return `${symbol}=${files.map((file) => (file.trim() === '' ? file : resolve(file.trim()))).join(',')}`;
}

/** Variables that only those processes see whose definitions name them; TLS_DIR is told to each as the names of its own files. */
const exclusive = new Set(['TLS_DIR', ...definitions.flatMap(({ secrets = [], ownSettings = [] }) => [...secrets, ...ownSettings])]);

function mayRead({ ownSettings = [] }: ProcessDefinition, name: string): boolean {
  return ownSettings.includes(name);
}

function secretsOf({ secrets = [] }: ProcessDefinition, dataDir: string, settings: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(secrets.map((name) => [name, settings[name] || keptSecret(dataDir, name)]));
}

function publicUrlOf(ports: ReadonlyMap<string, ProcessPorts>): string {
  const port = [...ports.values()].find((own) => own.public !== undefined)?.public ?? 0;
  return `http://127.0.0.1:${port}`;
}

/** What the environment of a process is made of, beside the process itself. */
export interface EnvironmentContext {
  dataDir: string;
  stores: Pick<Stores, 'postgresUrl' | 'redisUrl'>;
  /** What the caller adds or overrides, the same for every process. */
  settings: NodeJS.ProcessEnv;
  rpc: Pick<RpcAccess, 'variablesOf'>;
}

/**
 * The whole environment of one process. All run on one machine, so nothing waits for a load balancer to notice a stop, and
 * one allocation arena is enough for a process whose work is on one thread.
 */
export function environmentOf(
  definition: ProcessDefinition,
  ports: ReadonlyMap<string, ProcessPorts>,
  addresses: NodeJS.ProcessEnv,
  { dataDir, stores, settings, rpc }: EnvironmentContext,
): NodeJS.ProcessEnv {
  const { SIGNING_KEY_FILE: signingKeyFile, ARCHIVE_DIR: archiveDir, ...rest } = settings;
  const shared = Object.fromEntries(Object.entries(rest).filter(([name]) => !exclusive.has(name) || mayRead(definition, name)));
  const own = ports.get(definition.name);
  return {
    NODE_ENV: 'development',
    SHUTDOWN_WAIT_MS: '0',
    ...definition.defaults?.({ dataDir, publicUrl: publicUrlOf(ports) }),
    ...shared,
    ...secretsOf(definition, dataDir, settings),
    TZ: 'UTC',
    MALLOC_ARENA_MAX: '1',
    MARKET_STATE_ROOT: workspaceRoot(),
    OPS_PORT: String(own?.ops),
    ...(own?.grpc === undefined ? {} : { GRPC_ADDRESS: `127.0.0.1:${own.grpc}` }),
    ...(own?.public === undefined ? {} : { PORT: String(own.public) }),
    ...(definition.database === undefined ? {} : { DATABASE_URL: stores.postgresUrl(definition.database) }),
    ...(definition.usesEventLog === true || definition.countsCalls === true ? { REDIS_URL: stores.redisUrl } : {}),
    ...(definition.signsPackets === true ? { SIGNING_KEY_FILE: resolve(signingKeyFile || join(dataDir, 'signing-key.pem')) } : {}),
    ...(definition.usesArchive === true ? { ARCHIVE_DIR: resolve(archiveDir || join(dataDir, 'archive')) } : {}),
    ...rpc.variablesOf(definition.name),
    ...addresses,
  };
}
