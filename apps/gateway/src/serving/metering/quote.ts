import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** A quote binds for so long, milliseconds. */
export const QUOTE_LIFE_MS = 300_000;

/** Longest token that is looked at. */
const QUOTE_ID_SIZE_MAX = 1_024;

/** What a quote binds. */
export interface Quote {
  readonly tenantId: string;
  /** Upper case. */
  readonly method: string;
  readonly route: string;
  /** Digest of the canonical parameters. */
  readonly parameters: string;
  readonly maxMarketStateCredits: number;
  readonly maxExportCredits: number;
  readonly priceVersion: string;
  readonly expiresMs: number;
}

const payloadSchema = z.tuple([z.string(), z.string(), z.string(), z.string(), z.number(), z.number(), z.string(), z.number()]);

function macOf(payload: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(payload).digest();
}

/** The token of a quote: its payload and an HMAC-SHA256 of that, each base64url, with a dot between. */
export function signQuote(quote: Quote, secret: string): string {
  const { tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs } = quote;
  const payload = Buffer.from(
    JSON.stringify([tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs]),
  ).toString('base64url');
  return `${payload}.${macOf(payload, secret).toString('base64url')}`;
}

/** The quote in a token; null when this service did not sign it. */
export function readQuote(token: string, secret: string): Quote | null {
  const [payload = '', mac = '', ...rest] = token.split('.');
  if (token.length > QUOTE_ID_SIZE_MAX || rest.length > 0) return null;
  const sent = Buffer.from(mac, 'base64url');
  const made = macOf(payload, secret);
  if (sent.length !== made.length || !timingSafeEqual(sent, made)) return null;
  const [tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs] = payloadSchema.parse(
    JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')),
  );
  return { tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs };
}
