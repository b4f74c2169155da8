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
  secretVariable,
} from '@market-state/config';
import { faultsOfTestTargets, parseTestTargets, type TestTarget } from '@market-state/guarded-http';
import type { LogLevel } from '@market-state/logging';
import { type MailConfig, mailConfigOf, mailVariables, requireMailSender } from '@market-state/mail';
import { parseSealingKeys, type SealingKey } from '@market-state/webhook-signing';
import { z } from 'zod';

const shared = {
  ...commonVariables,
  ...rpcVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
};

/** For processes that use signing secrets or check targets. */
const delivery = {
  WEBHOOK_KEYS: secretVariable(
    z.string().superRefine((text, context) => {
      for (const message of parseSealingKeys(text).faults) context.addIssue({ code: 'custom', message });
    }),
  ),
  WEBHOOK_TEST_TARGETS: z.string().default(''),
  WEBHOOK_TEST_CA_FILE: z.string().optional(),
};

const ofService = z
  .object({ ...shared, ...delivery, LABELING_ADDRESS: addressList, DATA_PLANE_ADDRESS: addressList })
  .superRefine(requireRpcProof)
  .superRefine(requireDelivery);

const ofEvaluator = z
  .object({
    ...shared,
    LABELING_ADDRESS: addressList,
    DATA_PLANE_ADDRESS: addressList,
    ACCOUNT_ADDRESS: addressList,
    EXPORT_ADDRESS: addressList,
  })
  .superRefine(requireRpcProof);

const ofWorker = z
  .object({
    ...shared,
    ...delivery,
    ...mailVariables,
    PUBLIC_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
    ACCOUNT_ADDRESS: addressList,
  })
  .superRefine(requireMailSender)
  .superRefine(requireRpcProof)
  .superRefine(requireDelivery);

type DeliveryVariables = z.output<z.ZodObject<typeof delivery>> & { readonly NODE_ENV: string };

function requireDelivery(read: DeliveryVariables, context: z.RefinementCtx): void {
  const say = (variable: keyof DeliveryVariables, message: string): void => context.addIssue({ code: 'custom', path: [variable], message });
  for (const fault of faultsOfTestTargets(read.WEBHOOK_TEST_TARGETS, read.NODE_ENV)) say('WEBHOOK_TEST_TARGETS', fault);
  if (read.WEBHOOK_TEST_CA_FILE === undefined) return;
  if (read.NODE_ENV === 'production') say('WEBHOOK_TEST_CA_FILE', 'must not be set in production');
  else if (read.WEBHOOK_TEST_TARGETS === '') say('WEBHOOK_TEST_CA_FILE', 'requires WEBHOOK_TEST_TARGETS');
}

interface SharedConfig {
  readonly logLevel: LogLevel;
  readonly opsPort: number;
  readonly opsHost?: string;
  readonly rpc: RpcSettings;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly shutdownWaitMs: number;
}

export interface DeliveryConfig {
  /** The first key seals; all of them open. */
  readonly sealingKeys: readonly SealingKey[];
  /** Local hosts that may receive messages despite the address rules; empty in production. */
  readonly testTargets: readonly TestTarget[];
  /** PEM of the certificate authority trusted for test targets. */
  readonly testCaFile: string | undefined;
}

export interface WebhookConfig extends SharedConfig, DeliveryConfig {
  readonly grpcAddress: string;
  /** Addresses of every replica. */
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
}

export interface EvaluatorConfig extends SharedConfig {
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly accountAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
}

export interface WorkerConfig extends SharedConfig, DeliveryConfig {
  /** Undefined: emails cannot be sent. */
  readonly mail?: MailConfig | undefined;
  /** Links in messages point to it. */
  readonly publicBaseUrl?: string | undefined;
  readonly accountAddresses: readonly string[];
}

function sharedOf(read: z.output<z.ZodObject<typeof shared>>): SharedConfig {
  return {
    logLevel: read.LOG_LEVEL,
    opsPort: read.OPS_PORT,
    opsHost: read.OPS_HOST,
    rpc: rpcSettingsOf(read),
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}

function deliveryOf(read: DeliveryVariables): DeliveryConfig {
  return {
    sealingKeys: parseSealingKeys(read.WEBHOOK_KEYS).keys,
    testTargets: parseTestTargets(read.WEBHOOK_TEST_TARGETS).targets,
    testCaFile: read.WEBHOOK_TEST_CA_FILE,
  };
}

export function readWebhookConfig(env: Environment): WebhookConfig {
  const read = readConfig(ofService, env);
  return {
    ...sharedOf(read),
    ...deliveryOf(read),
    grpcAddress: read.GRPC_ADDRESS,
    labelingAddresses: read.LABELING_ADDRESS,
    dataPlaneAddresses: read.DATA_PLANE_ADDRESS,
  };
}

export function readEvaluatorConfig(env: Environment): EvaluatorConfig {
  const read = readConfig(ofEvaluator, env);
  return {
    ...sharedOf(read),
    labelingAddresses: read.LABELING_ADDRESS,
    dataPlaneAddresses: read.DATA_PLANE_ADDRESS,
    accountAddresses: read.ACCOUNT_ADDRESS,
    exportAddresses: read.EXPORT_ADDRESS,
  };
}

export function readWorkerConfig(env: Environment): WorkerConfig {
  const read = readConfig(ofWorker, env);
  return {
    ...sharedOf(read),
    ...deliveryOf(read),
    mail: mailConfigOf(read),
    publicBaseUrl: read.PUBLIC_BASE_URL,
    accountAddresses: read.ACCOUNT_ADDRESS,
  };
}
