import { readFileSync } from 'node:fs';
import { type StoreOptions, storeOptionsOf, storeUrl, storeVariables } from '@market-state/archive';
import {
  addressList,
  commonVariables,
  ConfigError,
  type ConfigFault,
  type Environment,
  postgresUrl,
  readConfig,
  redisUrl,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
  wholeNumber,
} from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { readServedSettings, readShardSettings } from '@market-state/market-data';
import { z } from 'zod';
import type { KeptDays } from './archive/archive-symbol';

const days = wholeNumber(0, 36_500);

const variables = z
  .object({
    ...commonVariables,
    ...rpcVariables,
    DATABASE_URL: postgresUrl,
    REDIS_URL: redisUrl,
    SIGNING_KEY_FILE: z.string().optional(),
    ARCHIVE_URL: storeUrl.optional(),
    ...storeVariables,
    DATA_PLANE_ADDRESS: addressList.optional(),
    SHARE_LIVE_PACKETS: z.enum(['on', 'off']).default('off'),
    HOT_DAYS: days.default(3),
    ARCHIVE_DAYS: days.default(30),
    HOT_DAYS_PACKETS: days.optional(),
    ARCHIVE_DAYS_PACKETS: days.optional(),
  })
  .superRefine((read, context) => {
    const { hotDays, archiveDays } = keptDaysOf(read);
    if (archiveDays >= hotDays) return;
    const message = `packets: ARCHIVE_DAYS or ARCHIVE_DAYS_PACKETS (${archiveDays}) must not be less than HOT_DAYS or HOT_DAYS_PACKETS (${hotDays})`;
    context.addIssue({ code: 'custom', path: [], message });
  })
  .refine((read) => read.NODE_ENV !== 'production' || read.SIGNING_KEY_FILE !== undefined, {
    path: ['SIGNING_KEY_FILE'],
    error: 'must be set',
  })
  .superRefine(requireRpcProof);

type DayVariables = Readonly<
  Record<'HOT_DAYS' | 'ARCHIVE_DAYS', number> & Partial<Record<'HOT_DAYS_PACKETS' | 'ARCHIVE_DAYS_PACKETS', number>>
>;

function keptDaysOf(read: DayVariables): KeptDays {
  return { hotDays: read.HOT_DAYS_PACKETS ?? read.HOT_DAYS, archiveDays: read.ARCHIVE_DAYS_PACKETS ?? read.ARCHIVE_DAYS };
}

/** Settings of the labeling service. */
export interface LabelingConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  /** Port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  /** IP address that they are served on; default loopback. */
  readonly opsHost?: string;
  /** How it proves who it is, and knows who calls. */
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /**
   * PKCS#8 PEM of the Ed25519 key that signs packets, made when it is missing; undefined, which production refuses: packets are not
   * signed.
   */
  readonly signingKeyFile: string | undefined;
  /** `host:port` of every process of the data plane, from whose rows packets are made again; undefined: none can be. */
  readonly dataPlaneAddresses: readonly string[] | undefined;
  /** Every symbol that the feeds serve: what is stored of each is answered. */
  readonly servedSymbols: readonly string[];
  /** Of these, the symbols to label: those of this process's shard. */
  readonly symbols: readonly string[];
  /** Where the archive is; undefined: packets and checkpoints stay in the database. */
  readonly archiveUrl: string | undefined;
  readonly storeOptions: StoreOptions;
  readonly keptDays: KeptDays;
  /** Whether packets of live venues may be shared by links. */
  readonly sharesLive: boolean;
  /** Time between "not serving" and the end of new work when the service stops. */
  readonly shutdownWaitMs: number;
}

/** @throws {ConfigError} with every fault at once. */
export function readLabelingConfig(env: Environment): LabelingConfig {
  const { FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE, SHARD_COUNT, SHARD_INDEX, SHARDS_FILE } = env;
  const readText = (path: string): string => readFileSync(path, 'utf8');
  const { served, faults } = readServedSettings({ FEED, SYMBOLS, FEED_FILE, INSTRUMENTS_FILE }, readText);
  const servedSymbols = served.map(({ symbol }) => symbol);
  const shard = readShardSettings({ SHARD_COUNT, SHARD_INDEX, SHARDS_FILE }, servedSymbols, readText);
  const read = readWith([...faults, ...shard.faults], env);
  return {
    logLevel: read.LOG_LEVEL,
    grpcAddress: read.GRPC_ADDRESS,
    opsPort: read.OPS_PORT,
    opsHost: read.OPS_HOST,
    rpc: rpcSettingsOf(read),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    signingKeyFile: read.SIGNING_KEY_FILE,
    dataPlaneAddresses: read.DATA_PLANE_ADDRESS,
    servedSymbols,
    symbols: shard.symbols,
    archiveUrl: read.ARCHIVE_URL,
    storeOptions: storeOptionsOf(read),
    keptDays: keptDaysOf(read),
    sharesLive: read.SHARE_LIVE_PACKETS === 'on',
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}

/** @throws {ConfigError} with these faults and the environment's own */
function readWith(faults: readonly ConfigFault[], env: Environment): z.output<typeof variables> {
  try {
    const read = readConfig(variables, env);
    if (faults.length === 0) return read;
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError([...faults, ...error.faults]);
    throw error;
  }
  throw new ConfigError(faults);
}
