import { PRICE_VERSION } from '@market-state/pricing';
import type { Grant } from '../auth/grant';
import { Problem } from '../errors/problem';
import { toUtc } from '../meta/utc';
import type { Operation } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import type { CallPrice, CreditKind } from '@market-state/pricing';
import { parametersDigest } from './canonical-parameters';
import { readQuote } from './quote';

/** Headers by which a caller bounds what a call may cost, lower case. */
const QUOTE_HEADER = 'x-quote-id';
const MAX_CREDITS_HEADER = 'x-max-credits';

/** What a caller lets a call cost. */
export interface SpendBounds {
  /** Credits; null without a bound. */
  readonly maxCredits: number | null;
  /** Empty without a quote. */
  readonly quoteId: string;
}

const UNBOUNDED: SpendBounds = { maxCredits: null, quoteId: '' };

/** A call that may carry bounds; `input` is what a quote binds. */
export interface QuotedCall {
  readonly operation: Operation;
  readonly input: Pick<Input, 'query' | 'path' | 'body'>;
  readonly grant: Grant;
  readonly credit: CreditKind;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface BoundedCall extends Omit<QuotedCall, 'credit'> {
  readonly price: CallPrice;
}

/** Whether a call carries a bound of its own. */
export function hasBounds(headers: QuotedCall['headers']): boolean {
  return headers[QUOTE_HEADER] !== undefined || headers[MAX_CREDITS_HEADER] !== undefined;
}

function mismatch(why: string): Problem {
  return new Problem('quote_mismatch', `The quote does not apply to this call: ${why}. Nothing was charged.`);
}

function quoteBound(token: string, { operation, input, grant, credit }: QuotedCall, secret: string, nowMs: number): number {
  const quote = readQuote(token, secret);
  if (quote === null || quote.tenantId !== grant.tenantId) throw mismatch('it was not made by this service for this tenant');
  if (quote.expiresMs <= nowMs) throw mismatch(`it expired at ${toUtc(quote.expiresMs)}`);
  if (quote.method !== operation.method.toUpperCase() || quote.route !== operation.path)
    throw mismatch(`it is for ${quote.method} ${quote.route}`);
  if (quote.parameters !== parametersDigest(input).toString('base64url')) throw mismatch('it is for other parameters');
  if (quote.priceVersion !== PRICE_VERSION) throw mismatch('prices have changed since');
  return credit === 'export' ? quote.maxExportCredits : quote.maxMarketStateCredits;
}

/** 402: a call may cost more than its caller allows. */
export function quoteExceeded(estimated: number, maxCredits: number, credit: CreditKind): Problem {
  const members = { estimated_credits: estimated, max_credits: maxCredits, credit_kind: credit };
  const kind = credit === 'export' ? 'export credits' : 'credits';
  return new Problem(
    'quote_exceeded',
    `This call may cost ${estimated} ${kind}, more than the ${maxCredits} allowed for it. Nothing was charged.`,
    { members },
  );
}

/** What the call's own headers, which were validated, let it cost. Throws 402 `quote_mismatch` for a quote of another call. */
export function sentBounds(call: QuotedCall, secret: string, nowMs: number): SpendBounds {
  const { headers } = call;
  if (!hasBounds(headers)) return UNBOUNDED;
  const quoteId = headers[QUOTE_HEADER] === undefined ? '' : String(headers[QUOTE_HEADER]);
  const sentMax = headers[MAX_CREDITS_HEADER];
  const bounds = [
    ...(sentMax === undefined ? [] : [Number(sentMax)]),
    ...(headers[QUOTE_HEADER] === undefined ? [] : [quoteBound(quoteId, call, secret, nowMs)]),
  ];
  return { maxCredits: Math.min(...bounds), quoteId };
}

/** As `sentBounds`, of a call whose price is known. Throws before any work: 402 `quote_exceeded` when the estimate is above a bound. */
export function readBounds(call: BoundedCall, secret: string, nowMs: number): SpendBounds {
  const { price } = call;
  const bounds = sentBounds({ ...call, credit: price.credit }, secret, nowMs);
  if (bounds.maxCredits !== null && price.estimated > bounds.maxCredits)
    throw quoteExceeded(price.estimated, bounds.maxCredits, price.credit);
  return bounds;
}
