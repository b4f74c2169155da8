import { isIP } from 'node:net';
import { z } from 'zod';
import { type Environment, secretVariable } from './read-config';
import { parseRedisUrl, RedisUrlError } from './redis-url';

const PORT_MAX = 65_535;

function isAddress(text: string): boolean {
  const match = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/.exec(text);
  return match !== null && Number(match[2]) <= PORT_MAX;
}

function hasScheme(text: string, schemes: readonly string[]): boolean {
  return URL.canParse(text) && schemes.includes(new URL(text).protocol);
}

/** Comma-separated words; whitespace and empty words are dropped. */
export const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
);

/** `host:port`; port 0 listens on any free port. */
export const address = z.string().refine(isAddress, 'must be host:port');

/** One or more comma-separated `host:port`. A name may have several addresses. */
export const addressList = commaList
  .refine((all) => all.length > 0 && all.every(isAddress), 'must be host:port, or a comma-separated list of them')
  .refine((all) => new Set(all).size === all.length, 'must name each address once');

/** 0 picks a free one. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number, 0..65535')
  .transform(Number)
  .refine((value) => value <= PORT_MAX, 'must be a port number, 0..65535');

export const postgresUrl = secretVariable(
  z.string().refine((text) => hasScheme(text, ['postgres:', 'postgresql:']), 'must be a postgresql:// URL'),
);

/** Accepted by `parseRedisUrl`. */
export const redisUrl = secretVariable(
  z.string().superRefine((text, context) => {
    try {
      parseRedisUrl(text);
    } catch (error) {
      if (!(error instanceof RedisUrlError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
  }),
);

function isCollectorAddress(text: string): boolean {
  if (!hasScheme(text, ['http:', 'https:'])) return false;
  const { username, password, search, hash } = new URL(text);
  return username + password + search + hash === '';
}

/** Base URL of an OpenTelemetry collector that accepts OTLP over HTTP. */
const collectorAddress = z
  .string()
  .refine(isCollectorAddress, 'must be an http or https URL without user, query or fragment, such as http://collector:4318');

const SECRET_SIZE_BYTES_MIN = 32;

/** At least 32 bytes. */
export const secretText = secretVariable(
  z
    .string()
    .refine((text) => Buffer.byteLength(text) >= SECRET_SIZE_BYTES_MIN, `must be a secret of at least ${SECRET_SIZE_BYTES_MIN} bytes`),
);

/** Decimal integer within bounds. If invalid, the schema's comparisons with other variables are skipped. */
export function wholeNumber(min: number, max: number) {
  const fault = { message: `must be a whole number, ${min}..${max}`, abort: true };
  return z
    .string()
    .regex(/^-?\d{1,16}$/, fault)
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault);
}

/** For every process's schema: `z.object({ ...commonVariables, DATABASE_URL: postgresUrl })`. */
export const commonVariables = {
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  GRPC_ADDRESS: address.default('127.0.0.1:0'),
  OPS_PORT: port.default(0),
  /** Listen address for metrics and probes: loopback, or `0.0.0.0` if other hosts scrape them. */
  OPS_HOST: z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IP address')
    .default('127.0.0.1'),
  /** Without it no traces are recorded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorAddress.optional(),
  /** Drain time between reporting "not serving" and refusing new work. */
  SHUTDOWN_WAIT_MS: wholeNumber(0, 20_000).default(2_000),
};

/** Undefined also if invalid, which the process's own configuration reports. */
export function tracesEndpointOf(env: Environment): string | undefined {
  const text = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  return text ? commonVariables.OTEL_EXPORTER_OTLP_ENDPOINT.safeParse(text).data : undefined;
}
