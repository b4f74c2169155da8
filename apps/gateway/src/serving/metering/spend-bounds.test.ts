import { limitsOf, PRICE_VERSION } from '@market-state/pricing';
import type { Grant } from '../auth/grant';
import { operationById } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import { priceOfCall } from './call-price';
import { parametersDigest } from './canonical-parameters';
import { type Quote, QUOTE_LIFE_MS, signQuote } from './quote';
import { readBounds } from './spend-bounds';

const SECRET = 's'.repeat(32);
const NOW_MS = 1_800_000_000_000;
const operation = operationById('listLatestTrades');
const input: Input = { query: { symbol: 'BTCUSD-PERP', limit: 1_000 }, path: {}, headers: {}, body: undefined };
const grant: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read']),
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
  hasCeiling: false,
  ownRate: null,
  expiresMs: Infinity,
};
const quote: Quote = {
  tenantId: 'ten_1',
  method: 'GET',
  route: operation.path,
  parameters: parametersDigest(input).toString('base64url'),
  maxMarketStateCredits: 5,
  maxExportCredits: 0,
  priceVersion: PRICE_VERSION,
  expiresMs: NOW_MS + QUOTE_LIFE_MS,
};

function bounds(change: Partial<Quote>, atMs = NOW_MS, secret = SECRET) {
  const price = priceOfCall(operation, input, { symbolTotal: 3, planId: 'public_pro' });
  const headers = { 'x-quote-id': signQuote({ ...quote, ...change }, secret) };
  return readBounds({ operation, input, grant, price, headers }, SECRET, atMs);
}

test('a quote binds for five minutes, and not at their end', () => {
  expect(bounds({}, NOW_MS + QUOTE_LIFE_MS - 1).maxCredits).toBe(5);
  expect(() => bounds({}, NOW_MS + QUOTE_LIFE_MS)).toThrow(/expired at 2027-01-15T08:05:00\.000Z/);
});

test.each<[string, Partial<Quote>, RegExp]>([
  ['another tenant', { tenantId: 'ten_2' }, /not made by this service for this tenant/],
  ['another method', { method: 'POST' }, /it is for POST/],
  ['another route', { route: '/api/public/data/candles' }, /it is for GET \/api\/public\/data\/candles/],
  ['other parameters', { parameters: 'x' }, /other parameters/],
  ['other prices', { priceVersion: 'market_state_prices.v0' }, /prices have changed/],
])('a quote for %s does not bind', (_what, change, sentence) => {
  expect(() => bounds(change)).toThrow(sentence);
});

test('a quote signed with another secret does not bind', () => {
  expect(() => bounds({}, NOW_MS, 't'.repeat(32))).toThrow(/not made by this service/);
});

test('a call that may cost more than its quote is refused', () => {
  expect(() => bounds({ maxMarketStateCredits: 4 })).toThrow(/may cost 5 credits, more than the 4/);
});
