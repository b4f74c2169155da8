import { commaList, commonVariables, type Environment, postgresUrl, readConfig, redisUrl } from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { instruments } from '@market-state/market-data';
import { z } from 'zod';

const known = instruments.map((instrument) => instrument.symbol);

const variables = z.object({
  ...commonVariables,
  DATABASE_URL: postgresUrl,
  REDIS_URL: redisUrl,
  SIGNING_KEY_FILE: z.string().optional(),
  SYMBOLS: commaList
    .refine((symbols) => symbols.length > 0 && symbols.every((symbol) => known.includes(symbol)), `must be of ${known.join(', ')}`)
    .default(known),
});

/** Settings of the labeling service. */
export interface LabelingConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  /** Loopback port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** PKCS#8 PEM of the Ed25519 key that signs packets, made when it is missing; undefined: packets are not signed. */
  readonly signingKeyFile: string | undefined;
  /** The symbols to label, each once. */
  readonly symbols: readonly string[];
  /** Time between "not serving" and the end of new work when the service stops. */
  readonly shutdownWaitMs: number;
}

/** @throws {ConfigError} with every fault at once. */
export function readLabelingConfig(env: Environment): LabelingConfig {
  const read = readConfig(variables, env);
  return {
    logLevel: read.LOG_LEVEL,
    grpcAddress: read.GRPC_ADDRESS,
    opsPort: read.OPS_PORT,
    databaseUrl: read.DATABASE_URL,
    redisUrl: read.REDIS_URL,
    signingKeyFile: read.SIGNING_KEY_FILE,
    symbols: [...new Set(read.SYMBOLS)],
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}
