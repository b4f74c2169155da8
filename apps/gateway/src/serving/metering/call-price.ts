import { createHmac, timingSafeEqual, createHash } from 'node:crypto';
import { type Timeframe, TIMEFRAMES } from '@market-state/export-schema';
import { canonicalJson } from '@market-state/labeler/lineage';
import {
  type CallPrice,
  PRICE_VERSION,
  type CreditKind,
  type OperationPrice,
  type PricedParameters,
  type PriceFacts,
  priceCall,
  weighCall,
} from '@market-state/pricing';
import { z } from 'zod';
import type { Grant } from '../auth/credentials';
import type { Operation } from '../openapi/operations';
import { Problem } from '../errors/problem';
import { toUtc, parseInstant } from '../meta/meta';
import type { Input } from '../validation/request-validator';

/** Null if a bound is open. */
function windowCandles({ from, to, tf }: Input['query']): number | null {
  const fromMs = parseInstant(String(from ?? ''));
  const toMs = parseInstant(String(to ?? ''));
  if (fromMs === null || toMs === null) return null;
  return Math.ceil(Math.max(0, toMs - fromMs) / TIMEFRAMES[String(tf) as Timeframe]) + 1;
}

function pricedParameters({ counted }: OperationPrice, { query }: Input): PricedParameters {
  return counted.by === 'candles' ? { windowCandles: windowCandles(query) } : (query as PricedParameters);
}

/** @throws {Error} if not metered, or if its units are not in the parameters */
export function priceOfCall({ operationId, price }: Operation, input: Input, facts: PriceFacts): CallPrice {
  if (price === null) throw new Error(`${operationId} has no price`);
  return priceCall(price, pricedParameters(price, input), facts);
}

export function weightOfOperation({ price }: Operation, input: Input, symbolTotal: number): number {
  return price === null ? 1 : weighCall(price, pricedParameters(price, input), symbolTotal);
}

/** Canonical: defaults filled in, independent of order. */
export function parametersDigest({ query, path, body }: Pick<Input, 'query' | 'path' | 'body'>): Buffer {
  return createHash('sha256')
    .update(canonicalJson({ query, path, body: body ?? null }))
    .digest();
}

export const QUOTE_LIFE_MS = 300_000;

const QUOTE_ID_SIZE_MAX = 1_024;

export interface Quote {
  readonly tenantId: string;
  readonly method: string;
  readonly route: string;
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

/** Payload and its HMAC-SHA256, each base64url, joined by a dot. */
export function signQuote(quote: Quote, secret: string): string {
  const { tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs } = quote;
  const payload = Buffer.from(
    JSON.stringify([tenantId, method, route, parameters, maxMarketStateCredits, maxExportCredits, priceVersion, expiresMs]),
  ).toString('base64url');
  return `${payload}.${macOf(payload, secret).toString('base64url')}`;
}

/** Null unless this service signed the token. */
function readQuote(token: string, secret: string): Quote | null {
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

/** Lower case. */
const QUOTE_HEADER = 'x-quote-id';
const MAX_CREDITS_HEADER = 'x-max-credits';
export const BOUND_HEADERS = [QUOTE_HEADER, MAX_CREDITS_HEADER] as const;

interface SpendBounds {
  readonly maxCredits: number | null;
  readonly quoteId: string;
}

const UNBOUNDED: SpendBounds = { maxCredits: null, quoteId: '' };

interface QuotedCall {
  readonly operation: Operation;
  readonly input: Pick<Input, 'query' | 'path' | 'body'>;
  readonly grant: Grant;
  readonly credit: CreditKind;
  readonly headers: Readonly<Record<string, unknown>>;
}

interface BoundedCall extends Omit<QuotedCall, 'credit'> {
  readonly price: CallPrice;
}

function mismatch(why: string): Problem {
  return new Problem('quote_mismatch', `The quote does not apply to this call: ${why}. Nothing was charged.`);
}

function quoteBound(token: string, { operation, input, grant, credit }: QuotedCall, secret: string, nowMs: number): number {
  const quote = readQuote(token, secret);
  if (quote === null || quote.tenantId !== grant.tenantId) throw mismatch('it was not issued to this tenant by this service');
  if (quote.expiresMs <= nowMs) throw mismatch(`it expired at ${toUtc(quote.expiresMs)}`);
  if (quote.method !== operation.method.toUpperCase() || quote.route !== operation.path)
    throw mismatch(`it is for ${quote.method} ${quote.route}`);
  if (quote.parameters !== parametersDigest(input).toString('base64url')) throw mismatch('it is for other parameters');
  if (quote.priceVersion !== PRICE_VERSION) throw mismatch('prices have changed since');
  return credit === 'export' ? quote.maxExportCredits : quote.maxMarketStateCredits;
}

/** 402. */
export function quoteExceeded(estimated: number, maxCredits: number, credit: CreditKind): Problem {
  const members = { estimated_credits: estimated, max_credits: maxCredits, credit_kind: credit };
  const kind = credit === 'export' ? 'export credits' : 'credits';
  return new Problem(
    'quote_exceeded',
    `This call may cost ${estimated} ${kind}, more than your limit of ${maxCredits}. Nothing was charged.`,
    { members },
  );
}

/** @throws {Problem} 402 `quote_mismatch` for another call's quote */
export function sentBounds(call: QuotedCall, secret: string, nowMs: number): SpendBounds {
  const { headers } = call;
  if (BOUND_HEADERS.every((name) => headers[name] === undefined)) return UNBOUNDED;
  const quoteId = headers[QUOTE_HEADER] === undefined ? '' : String(headers[QUOTE_HEADER]);
  const sentMax = headers[MAX_CREDITS_HEADER];
  const bounds = [
    ...(sentMax === undefined ? [] : [Number(sentMax)]),
    ...(headers[QUOTE_HEADER] === undefined ? [] : [quoteBound(quoteId, call, secret, nowMs)]),
  ];
  return { maxCredits: Math.min(...bounds), quoteId };
}

/** @throws {Problem} 402 `quote_exceeded` if the estimate is above a bound */
export function readBounds(call: BoundedCall, secret: string, nowMs: number): SpendBounds {
  const { price } = call;
  const bounds = sentBounds({ ...call, credit: price.credit }, secret, nowMs);
  if (bounds.maxCredits !== null && price.estimated > bounds.maxCredits)
    throw quoteExceeded(price.estimated, bounds.maxCredits, price.credit);
  return bounds;
}
