import { commonVariables, type Environment, postgresUrl, readConfig } from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { z } from 'zod';

const SECRET_SIZE_BYTES_MIN = 32;

const secret = z.string().refine((text) => Buffer.byteLength(text) >= SECRET_SIZE_BYTES_MIN, `must be at least ${SECRET_SIZE_BYTES_MIN} bytes`);

const variables = z.object({ ...commonVariables, DATABASE_URL: postgresUrl, ANSWER_SECRET: secret });

/** Settings of the account service. */
export interface AccountConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  /** Loopback port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  readonly databaseUrl: string;
  /** Encrypts the answers that are kept for calls with an Idempotency-Key; the same in every replica. */
  readonly answerSecret: string;
  /** Time between "not serving" and the end of new work when the service stops. */
  readonly shutdownWaitMs: number;
}

/** @throws {ConfigError} with every fault at once. */
export function readAccountConfig(env: Environment): AccountConfig {
  const read = readConfig(variables, env);
  return {
    logLevel: read.LOG_LEVEL,
    grpcAddress: read.GRPC_ADDRESS,
    opsPort: read.OPS_PORT,
    databaseUrl: read.DATABASE_URL,
    answerSecret: read.ANSWER_SECRET,
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}
