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
  /** Port of metrics and probes; 0 picks any free one. */
  readonly opsPort: number;
  /** IP address of metrics and probes; default loopback. */
  readonly opsHost?: string;
  /** Time between reporting not serving and refusing calls on shutdown. */
  readonly shutdownWaitMs: number;
  /** Identity of this process and of its callers. */
  readonly rpc: RpcSettings;
  /** Base URL of the public API, without a trailing slash. */
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
