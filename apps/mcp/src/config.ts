import {
  commonVariables,
  type Environment,
  readConfig,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
} from '@market-state/config';
import type { LogLevel } from '@market-state/logging';
import { z } from 'zod';

const gatewayUrl = z
  .string()
  .regex(/^https?:\/\/[\w.:[\]-]+$/, 'must be an http or https URL without a path or query such as http://gateway:8080');

const schema = z.object({ ...commonVariables, ...rpcVariables, GATEWAY_URL: gatewayUrl }).superRefine(requireRpcProof);

export interface McpConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 picks any free one. */
  readonly grpcAddress: string;
  readonly opsPort: number;
  /** Default loopback. */
  readonly opsHost?: string;
  /** Delay after reporting not serving. */
  readonly shutdownWaitMs: number;
  /** Also identifies callers. */
  readonly rpc: RpcSettings;
  /** Without a trailing slash. */
  readonly gatewayUrl: string;
}

/** @throws {ConfigError} Lists every invalid setting. */
export function readMcpConfig(env: Environment): McpConfig {
  const read = readConfig(schema, env);
  return {
    logLevel: read.LOG_LEVEL,
    grpcAddress: read.GRPC_ADDRESS,
    opsPort: read.OPS_PORT,
    opsHost: read.OPS_HOST,
    shutdownWaitMs: read.SHUTDOWN_WAIT_MS,
    rpc: rpcSettingsOf(read),
    gatewayUrl: read.GATEWAY_URL,
  };
}
