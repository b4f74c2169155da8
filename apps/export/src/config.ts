import { type StoreOptions, storeOptionsOf, storeUrl, storeVariables } from '@market-state/archive';
import {
  addressList,
  commonVariables,
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
import { z } from 'zod';
import type { UpstreamAddresses } from './upstreams';

const shared = {
  ...commonVariables,
  ...rpcVariables,
  ...storeVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
  EXPORT_URL: storeUrl,
  ACCOUNT_ADDRESS: addressList,
  DATA_PLANE_ADDRESS: addressList,
  LABELING_ADDRESS: addressList,
};

const ofService = z.object(shared).superRefine(requireRpcProof);

const ofWorker = z
  .object({
    ...shared,
    ARCHIVE_URL: storeUrl.optional(),
    EXPORT_CACHE_MB: wholeNumber(64, 1_000_000).default(2_048),
    EXPORT_DAYS: wholeNumber(1, 365).default(7),
  })
  .superRefine(requireRpcProof);

interface SharedConfig extends UpstreamAddresses {
  readonly logLevel: LogLevel;
  readonly opsPort: number;
  readonly opsHost?: string;
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly exportUrl: string;
  readonly storeOptions: StoreOptions;
  readonly shutdownWaitMs: number;
}

export interface ExportConfig extends SharedConfig {
  readonly grpcAddress: string;
}

export interface WorkerConfig extends SharedConfig {
  /** Undefined: all rows are read from services. */
  readonly archiveUrl: string | undefined;
  readonly exportDays: number;
}

function sharedOf(read: z.output<typeof ofService>): SharedConfig {
  return {
    logLevel: read.LOG_LEVEL,
    opsPort: read.OPS_PORT,
    opsHost: read.OPS_HOST,
    rpc: rpcSettingsOf(read),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    exportUrl: read.EXPORT_URL,
    storeOptions: storeOptionsOf(read),
    accountAddresses: read.ACCOUNT_ADDRESS,
    dataPlaneAddresses: read.DATA_PLANE_ADDRESS,
    labelingAddresses: read.LABELING_ADDRESS,
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}

export function readExportConfig(env: Environment): ExportConfig {
  const read = readConfig(ofService, env);
  return { ...sharedOf(read), grpcAddress: read.GRPC_ADDRESS };
}

export function readWorkerConfig(env: Environment): WorkerConfig {
  const read = readConfig(ofWorker, env);
  const settings = sharedOf(read);
  return {
    ...settings,
    storeOptions: { ...settings.storeOptions, cacheMb: read.EXPORT_CACHE_MB },
    archiveUrl: read.ARCHIVE_URL,
    exportDays: read.EXPORT_DAYS,
  };
}
