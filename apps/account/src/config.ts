import { commonVariables, type Environment, postgresUrl, readConfig } from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { z } from 'zod';

const variables = z.object({ ...commonVariables, DATABASE_URL: postgresUrl });

/** Settings of the account service. */
export interface AccountConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  /** Loopback port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  readonly databaseUrl: string;
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
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
  };
}
