import {
  addressList,
  commaList,
  commonVariables,
  type Environment,
  port,
  readConfig,
  redisUrl,
  requireRpcProof,
  type RpcSettings,
  rpcSettingsOf,
  rpcVariables,
  secretText,
  wholeNumber,
} from '@market-state/config';
import { z } from 'zod';
import { isAddressBlock } from './serving/http/request-lifetime';
import { SERVER_LIMITS } from './serving/server/matched-server';
import type { ReleaseFiles } from './release/running-release';

const publicBaseUrl = z
  .string()
  .regex(/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/, 'must be an http or https URL without a query or trailing slash');

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

function isHostName(text: string): boolean {
  return /^(?:[a-z0-9_.-]+|\[[\da-f:.]+\])$/i.test(text);
}

const origins = commaList.refine(
  (all) => all.every(isOrigin),
  'must be a comma-separated list of origins such as https://portal.example.com',
);
const hosts = commaList.refine(
  (all) => all.every(isHostName),
  'must be a comma-separated list of host names without ports such as api.example.com',
);
const proxies = commaList.refine(
  (all) => all.every(isAddressBlock),
  'must be a comma-separated list of addresses or CIDR blocks such as 10.0.0.0/8',
);

const schema = z
  .object({
    ...rpcVariables,
    NODE_ENV: commonVariables.NODE_ENV,
    LOG_LEVEL: commonVariables.LOG_LEVEL,
    OPS_PORT: commonVariables.OPS_PORT,
    OPS_HOST: commonVariables.OPS_HOST,
    OTEL_EXPORTER_OTLP_ENDPOINT: commonVariables.OTEL_EXPORTER_OTLP_ENDPOINT,
    SHUTDOWN_WAIT_MS: commonVariables.SHUTDOWN_WAIT_MS,
    PORT: port.default(0),
    LISTEN_HOST: z.string().min(1).default('127.0.0.1'),
    PUBLIC_BASE_URL: publicBaseUrl.optional(),
    ALLOWED_ORIGINS: origins.default([]),
    PUBLIC_HOSTS: hosts.default([]),
    TRUSTED_PROXIES: proxies.default([]),
    CONNECTIONS_PER_ADDRESS: wholeNumber(1, 1_000_000).default(SERVER_LIMITS.connectionsPerAddressMax),
    REDIS_URL: redisUrl.optional(),
    GATEWAY_COUNT: wholeNumber(1, 1_000).default(1),
    PUBLIC_RATE_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
    PUBLIC_BURST: wholeNumber(1, 1_000_000).default(30),
    STATIC_RATE_PER_MINUTE: wholeNumber(1, 1_000_000).default(600),
    STATIC_BURST: wholeNumber(1, 1_000_000).default(200),
    PORTAL_DIR: z.string().optional(),
    DOCS_DIR: z.string().optional(),
    REFUSED_RATE_PER_MINUTE: wholeNumber(1, 1_000_000).default(60),
    REFUSED_BURST: wholeNumber(1, 1_000_000).default(30),
    QUOTE_SECRET: secretText,
    LINK_SECRET: secretText,
    ACCOUNT_ADDRESS: addressList,
    LABELING_ADDRESS: addressList,
    DATA_PLANE_ADDRESS: addressList,
    EXPORT_ADDRESS: addressList,
    WEBHOOK_ADDRESS: addressList,
    MCP_ADDRESS: addressList,
  })
  .superRefine(requireRpcProof);

export interface AddressRate {
  readonly perMinute: number;
  readonly burst: number;
}

export interface GatewayConfig {
  readonly logLevel: z.output<typeof schema>['LOG_LEVEL'];
  readonly listenHost: string;
  /** 0 picks any free port. */
  readonly port: number;
  readonly opsPort: number;
  readonly opsHost?: string;
  /** Time between reporting not ready and refusing new work, in milliseconds. */
  readonly shutdownWaitMs: number;
  /** Base URL shown in specs and recipes; default this server on loopback. */
  readonly publicBaseUrl?: string;
  /** Additional to this server's own; default none. */
  readonly allowedOrigins?: readonly string[];
  /** Additional to loopback and that of `publicBaseUrl`; default none. */
  readonly publicHosts?: readonly string[];
  /** Proxies with a trusted `X-Forwarded-For` and no connection limit; default none. */
  readonly trustedProxies?: readonly string[];
  readonly connectionsPerAddress?: number;
  /** Store of shared limits; without it, each gateway counts its own part. */
  readonly redisUrl?: string;
  /** Number of gateways that split a limit while the store is unreachable; default 1. */
  readonly gatewayCount?: number;
  /** Per address; default 60 a minute, burst 30. */
  readonly publicRate?: AddressRate;
  readonly staticRate?: AddressRate;
  readonly refusedRate?: AddressRate;
  /** Unset: no portal. */
  readonly portalDir?: string;
  /** Unset: no `/docs`. */
  readonly docsDir?: string;
  /** The same on every gateway. */
  readonly quoteSecret: string;
  /** Signs download routes and addresses forwarded by the MCP server; the same on every gateway. */
  readonly linkSecret: string;
  readonly rpc: RpcSettings;
  /** `host:port` each; a DNS name stands for all of its addresses. */
  readonly accountAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
  readonly webhookAddresses: readonly string[];
  readonly mcpAddresses: readonly string[];
  /** Absent when running from source. */
  readonly release?: ReleaseFiles;
}

/** @throws {ConfigError} Lists every invalid setting. */
export function readGatewayConfig(env: Environment): GatewayConfig {
  const values = readConfig(schema, env);
  return {
    logLevel: values.LOG_LEVEL,
    listenHost: values.LISTEN_HOST,
    port: values.PORT,
    opsPort: values.OPS_PORT,
    opsHost: values.OPS_HOST,
    shutdownWaitMs: values.SHUTDOWN_WAIT_MS,
    publicBaseUrl: values.PUBLIC_BASE_URL,
    allowedOrigins: values.ALLOWED_ORIGINS,
    publicHosts: values.PUBLIC_HOSTS,
    trustedProxies: values.TRUSTED_PROXIES,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
    redisUrl: values.REDIS_URL,
    gatewayCount: values.GATEWAY_COUNT,
    publicRate: { perMinute: values.PUBLIC_RATE_PER_MINUTE, burst: values.PUBLIC_BURST },
    staticRate: { perMinute: values.STATIC_RATE_PER_MINUTE, burst: values.STATIC_BURST },
    refusedRate: { perMinute: values.REFUSED_RATE_PER_MINUTE, burst: values.REFUSED_BURST },
    portalDir: values.PORTAL_DIR,
    docsDir: values.DOCS_DIR,
    quoteSecret: values.QUOTE_SECRET,
    linkSecret: values.LINK_SECRET,
    rpc: rpcSettingsOf(values),
    accountAddresses: values.ACCOUNT_ADDRESS,
    labelingAddresses: values.LABELING_ADDRESS,
    dataPlaneAddresses: values.DATA_PLANE_ADDRESS,
    exportAddresses: values.EXPORT_ADDRESS,
    webhookAddresses: values.WEBHOOK_ADDRESS,
    mcpAddresses: values.MCP_ADDRESS,
  };
}
