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

export interface LabelingConfig {
  readonly logLevel: LogLevel;
  /** Port 0 picks a free one. */
  readonly grpcAddress: string;
  readonly opsPort: number;
  readonly opsHost?: string;
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /**
   * PKCS#8 PEM of the Ed25519 key that signs packets, created if missing. Undefined (rejected in production): packets
   * are not signed.
   */
  readonly signingKeyFile: string | undefined;
  /** `host:port` of every data plane process, whose rows are needed to recompute packets; undefined disables it. */
  readonly dataPlaneAddresses: readonly string[] | undefined;
  /** Symbols of all feeds; reads cover every stored symbol among them. */
  readonly servedSymbols: readonly string[];
  readonly symbols: readonly string[];
  /** Undefined: packets and checkpoints stay in the database. */
  readonly archiveUrl: string | undefined;
  readonly storeOptions: StoreOptions;
  readonly keptDays: KeptDays;
  readonly sharesLive: boolean;
  readonly shutdownWaitMs: number;
}

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
