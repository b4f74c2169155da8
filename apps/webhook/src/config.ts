import {
  address,
  commonVariables,
  type Environment,
  postgresUrl,
  readConfig,
  redisUrl,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
} from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { z } from 'zod';

const shared = {
  ...commonVariables,
  ...rpcVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
};

const ofService = z
  .object({ ...shared, LABELING_ADDRESS: address, DATA_PLANE_ADDRESS: address, WEBHOOK_KEYS: z.string().min(1) })
  .superRefine(requireRpcProof);

const ofEvaluator = z
  .object({ ...shared, LABELING_ADDRESS: address, DATA_PLANE_ADDRESS: address, ACCOUNT_ADDRESS: address, EXPORT_ADDRESS: address })
  .superRefine(requireRpcProof);

const ofWorker = z.object({ ...shared, ACCOUNT_ADDRESS: address, WEBHOOK_KEYS: z.string().min(1) }).superRefine(requireRpcProof);

/** What every process of the service needs. */
interface SharedConfig {
  readonly logLevel: LogLevel;
  /** Loopback port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  /** How it proves who it is, and knows who calls. */
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Time between "not serving" and the end of new work when the process stops. */
  readonly shutdownWaitMs: number;
}

/** Settings of the process that serves RPCs. */
export interface WebhookConfig extends SharedConfig {
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
}

/** Settings of the process that looks at rules. */
export interface EvaluatorConfig extends SharedConfig {
  readonly labelingAddress: string;
  readonly dataPlaneAddress: string;
  readonly accountAddress: string;
  readonly exportAddress: string;
}

/** Settings of a worker. */
export interface WorkerConfig extends SharedConfig {
  readonly accountAddress: string;
}

function sharedOf(read: z.output<z.ZodObject<typeof shared>>): SharedConfig {
  return {
    logLevel: read.LOG_LEVEL,
    opsPort: read.OPS_PORT,
    rpc: rpcSettingsOf(read),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}

/** @throws {ConfigError} with every fault at once. */
export function readWebhookConfig(env: Environment): WebhookConfig {
  const read = readConfig(ofService, env);
  return {
    ...sharedOf(read),
    grpcAddress: read.GRPC_ADDRESS,
    labelingAddress: read.LABELING_ADDRESS,
    dataPlaneAddress: read.DATA_PLANE_ADDRESS,
  };
}

/** @throws {ConfigError} with every fault at once. */
export function readEvaluatorConfig(env: Environment): EvaluatorConfig {
  const read = readConfig(ofEvaluator, env);
  return {
    ...sharedOf(read),
    labelingAddress: read.LABELING_ADDRESS,
    dataPlaneAddress: read.DATA_PLANE_ADDRESS,
    accountAddress: read.ACCOUNT_ADDRESS,
    exportAddress: read.EXPORT_ADDRESS,
  };
}

/** @throws {ConfigError} with every fault at once. */
export function readWorkerConfig(env: Environment): WorkerConfig {
  const read = readConfig(ofWorker, env);
  return { ...sharedOf(read), accountAddress: read.ACCOUNT_ADDRESS };
}
