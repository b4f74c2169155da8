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
  .regex(/^https?:\/\/[\w.:[\]-]+$/, 'must be an http or https address without path or query such as http://gateway:8080');

const schema = z.object({ ...commonVariables, ...rpcVariables, GATEWAY_URL: gatewayUrl }).superRefine(requireRpcProof);

/** Settings of the process that answers agents over HTTP. */
export interface McpConfig {
  readonly logLevel: LogLevel;
  /** `host:port`; port 0 takes any free one. */
  readonly grpcAddress: string;
  /** Port of metrics and probes; 0 takes any free one. */
  readonly opsPort: number;
  /** IP address that they are served on; default loopback. */
  readonly opsHost?: string;
  /** Time between "not serving" and the end of new work when the process stops. */
  readonly shutdownWaitMs: number;
  /** How it proves who it is, and knows who calls. */
  readonly rpc: RpcSettings;
  /** Where the public API is called for the caller, without a slash at its end. */
  readonly gatewayUrl: string;
}

/** @throws {ConfigError} with every fault at once. */
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
