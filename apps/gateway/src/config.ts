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
import { isAddressBlock } from './serving/http/client-address';
import { SERVER_LIMITS } from './serving/server/matched-server';
import type { ReleaseFiles } from './release/running-release';

/** An http or https address that a path can follow. */
const publicBaseUrl = z
  .string()
  .regex(/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~-]+)*$/, 'must be an http or https address without a query or a slash at its end');

/** As a browser writes it: scheme, host and port, nothing behind. */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** A name, an IPv4 address, or an IPv6 address in brackets. */
function isHostName(text: string): boolean {
  return /^(?:[a-z0-9_.-]+|\[[\da-f:.]+\])$/i.test(text);
}

const origins = commaList.refine((all) => all.every(isOrigin), 'must be a comma list of origins such as https://portal.example.com');
const hosts = commaList.refine((all) => all.every(isHostName), 'must be a comma list of host names without ports such as api.example.com');
const proxies = commaList.refine((all) => all.every(isAddressBlock), 'must be a comma list of addresses or blocks such as 10.0.0.0/8');

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

/** What one address may do. */
export interface AddressRate {
  readonly perMinute: number;
  readonly burst: number;
}

/** Settings of the gateway. */
export interface GatewayConfig {
  readonly logLevel: z.output<typeof schema>['LOG_LEVEL'];
  /** Address the public server listens on; loopback unless set. */
  readonly listenHost: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly opsPort: number;
  /** IP address that metrics and probes are served on; default loopback. */
  readonly opsHost?: string;
  /** Time between "not ready" and the end of new work when told to stop, milliseconds. */
  readonly shutdownWaitMs: number;
  /** Address that specs and recipes send a reader to, for example `https://api.example.com`; default the own one on loopback. */
  readonly publicBaseUrl?: string;
  /** Origins beside the own one from which a browser may change something here; default none. */
  readonly allowedOrigins?: readonly string[];
  /** Names that a request may give this service in Host, beside those of loopback and that of `publicBaseUrl`; default none. */
  readonly publicHosts?: readonly string[];
  /** Addresses whose `X-Forwarded-For` is believed, and that may have any number of connections; default none. */
  readonly trustedProxies?: readonly string[];
  /** Connections that one address may have open, IPv6 by /64; default 200. */
  readonly connectionsPerAddress?: number;
  /** Where the limits of all gateways are counted; without it each gateway counts its part. */
  readonly redisUrl?: string;
  /** Gateways that share a limit while the store cannot be reached; default 1. */
  readonly gatewayCount?: number;
  /** Calls to routes that need no key, by address; default 60 a minute, 30 at once. */
  readonly publicRate?: AddressRate;
  /** Calls for static files, by address; default 600 a minute, 200 at once. */
  readonly staticRate?: AddressRate;
  /** Credentials that may be refused, by address; default 60 a minute, 30 at once. */
  readonly refusedRate?: AddressRate;
  /** Folder with a build of the portal; without it this gateway serves no pages of it. */
  readonly portalDir?: string;
  /** Folder with a build of the documentation; without it `/docs` has no pages. */
  readonly docsDir?: string;
  /** Signs quotes; every gateway has the same. */
  readonly quoteSecret: string;
  /** Signs the routes of downloads, and callers' addresses for the MCP server; every gateway has the same. */
  readonly linkSecret: string;
  /** How it proves to the services that it calls who it is. */
  readonly rpc: RpcSettings;
  /** Of every process of account, as of the others below, `host:port` each; a name stands for every address that it has. */
  readonly accountAddresses: readonly string[];
  readonly labelingAddresses: readonly string[];
  readonly dataPlaneAddresses: readonly string[];
  readonly exportAddresses: readonly string[];
  readonly webhookAddresses: readonly string[];
  readonly mcpAddresses: readonly string[];
  /** What the build left; absent where the gateway runs from its sources. */
  readonly release?: ReleaseFiles;
}

/** @throws {ConfigError} with every fault at once. */
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
