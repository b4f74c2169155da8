import { WORKLOAD_FAMILIES, limitsOf, PRICE_VERSION } from '@market-state/pricing';
import { operationById, operations } from '../openapi/operations';
import type { Input } from '../validation/request-validator';
import { priceOfCall, parametersDigest, type Quote, QUOTE_LIFE_MS, signQuote, readBounds } from './call-price';
import type { Grant } from '../auth/credentials';

const SECRET = 's'.repeat(32);
const NOW_MS = 1_800_000_000_000;
const operation = operationById('listLatestTrades');
const sent: Input = { query: { symbol: 'BTCUSD-PERP', limit: 1_000 }, path: {}, headers: {}, body: undefined };
const grant: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read']),
  role: null,
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
  hasCeiling: false,
  ownRate: null,
  expiresMs: Infinity,
};
const quote: Quote = {
  tenantId: 'ten_1',
  method: 'GET',
  route: operation.path,
  parameters: parametersDigest(sent).toString('base64url'),
  maxMarketStateCredits: 5,
  maxExportCredits: 0,
  priceVersion: PRICE_VERSION,
  expiresMs: NOW_MS + QUOTE_LIFE_MS,
};

function bounds(change: Partial<Quote>, atMs = NOW_MS, secret = SECRET) {
  const price = priceOfCall(operation, sent, { symbolTotal: 3, planId: 'public_pro' });
  const headers = { 'x-quote-id': signQuote({ ...quote, ...change }, secret) };
  return readBounds({ operation, input: sent, grant, price, headers }, SECRET, atMs);
}

test('a quote binds for five minutes, and not at their end', () => {
  expect(bounds({}, NOW_MS + QUOTE_LIFE_MS - 1).maxCredits).toBe(5);
  expect(() => bounds({}, NOW_MS + QUOTE_LIFE_MS)).toThrow(/expired at 2027-01-15T08:05:00\.000Z/);
});

test.each<[string, Partial<Quote>, RegExp]>([
  ['another tenant', { tenantId: 'ten_2' }, /not issued to this tenant by this service/],
  ['another method', { method: 'POST' }, /it is for POST/],
  ['another route', { route: '/api/public/data/candles' }, /it is for GET \/api\/public\/data\/candles/],
  ['other parameters', { parameters: 'x' }, /other parameters/],
  ['other prices', { priceVersion: 'market_state_prices.v0' }, /prices have changed/],
])('a quote for %s does not bind', (_what, change, sentence) => {
  expect(() => bounds(change)).toThrow(sentence);
});

test('a quote signed with another secret does not bind', () => {
  expect(() => bounds({}, NOW_MS, 't'.repeat(32))).toThrow(/not issued to this tenant/);
});

test('a call that may cost more than its quote is refused', () => {
  expect(() => bounds({ maxMarketStateCredits: 4 })).toThrow(/may cost 5 credits, more than your limit of 4/);
});

const FACTS = { symbolTotal: 4, planId: 'public_pro' };

function input(query: Readonly<Record<string, unknown>> = {}): Input {
  return { query, path: {}, headers: {}, body: undefined };
}

test('every metered operation of the document has a price, and no other has one', () => {
  for (const { metered, price } of operations) expect(price !== null).toBe(metered);
});

test('every family is the price of some operation', () => {
  expect(new Set(operations.flatMap(({ price }) => (price === null ? [] : [price.family])))).toEqual(new Set(WORKLOAD_FAMILIES));
});

const DAY = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

test.each([
  ['getLatest', { symbol: 'BTCUSD-PERP' }, undefined, 1, 1],
  ['getLatest', { symbol: 'ALL' }, 3, 4, 3],
  ['replayPackets', { limit: 100 }, 26, 5, 3],
  ['listHistory', { limit: 25 }, 0, 2, 1],
  ['searchEvents', { limit: 1_000 }, undefined, 41, 41],
  ['getLabelStability', {}, undefined, 5, 5],
  ['getEventEvidence', {}, undefined, 2, 2],
  ['verifyEvent', {}, undefined, 2, 2],
  ['getPostmortem', {}, undefined, 2, 2],
  ['getPacketWorkbench', {}, undefined, 3, 3],
  ['getFeatureQuality', {}, undefined, 1, 1],
  ['getBookL2Latest', { depth: 1_000 }, 20, 5, 1],
  ['listLatestTrades', { limit: 250 }, 250, 2, 2],
  ['listGaps', { limit: 100 }, 5, 1, 1],
  ['getActiveAssetContext', {}, undefined, 1, 1],
  ['listCandles', { tf: '1h', ...DAY }, 24, 2, 2],
  ['listCandles', { tf: '1m', ...DAY }, 500, 3, 2],
  ['listCandles', { tf: '1m', from: '', to: '' }, undefined, 3, 3],
  ['getReplayWindow', {}, 1, 7, 3],
  ['getReplayWindow', {}, 9_000, 7, 7],
  ['getConnectorQuerySpec', {}, undefined, 1, 1],
  ['createWebhook', {}, undefined, 0, 0],
  ['streamData', {}, 250, 1, 1],
  ['listUsage', { limit: 100 }, 100, 0, 0],
  ['getCatalog', {}, 50, 0, 0],
  ['getExportJob', {}, 1, 0, 0],
] as const)('%s of %p with %p units observed: at most %i, charged %i', (operationId, query, units, estimated, observed) => {
  const price = priceOfCall(operationById(operationId), input(query), FACTS);
  expect([price.estimated, price.observed(units)]).toEqual([estimated, observed]);
});

test("reading and changing what is one's own is metered and free; computing and publishing from it is not", () => {
  const own = /\/(watchlists|alerts|webhooks|saved-searches|usage|usage-receipt|shares)(\/|$)/;
  const priced = operations.filter(({ path, price }) => own.test(path) && price !== null);
  expect(priced.length).toBeGreaterThan(35);
  const charged = priced.filter((operation) => priceOfCall(operation, input({ limit: 1 }), FACTS).estimated > 0);
  expect(charged.map(({ operationId }) => operationId).toSorted()).toEqual([
    'createShare',
    'getSavedSearchResults',
    'rehearseAlerts',
    'rehearseWatchlist',
  ]);
});

test.each([
  [1, 1],
  [100, 1],
  [101, 2],
  [2_202, 23],
])('a replay of %i messages as a stream costs %i at most', (messages, credits) => {
  const price = priceOfCall(operationById('streamDataReplay'), input({}), { ...FACTS, messages });
  expect([price.estimated, price.observed(messages), price.byMessages]).toEqual([credits, credits, true]);
});

test('every sandbox call costs one credit', () => {
  for (const operationId of ['getReplayWindow', 'listUsage', 'streamData', 'getLatest']) {
    const price = priceOfCall(operationById(operationId), input({ symbol: 'ALL' }), { ...FACTS, planId: 'sandbox' });
    expect([price.estimated, price.observed(1_000), price.credit, price.byMessages]).toEqual([1, 1, 'market_state', false]);
  }
});
