import { OpenAPISchemaValidator } from 'express-openapi-validator/dist/framework/openapi.schema.validator';
import { loadPolicy } from '@market-state/labeler';
import { dereference, openApiDocument } from './document';
import { operations } from './operations';

/** Every path and method of the contract and the API page. */
const PROMISED = `
GET /api/public/data/book/l2/latest|GET /api/public/data/candles|GET /api/public/data/catalog|GET /api/public/data/connectors/{connector_id}/query-spec
GET /api/public/data/context/active-asset|GET /api/public/data/events/{event_id}/join-spec|GET /api/public/data/export/jobs|POST /api/public/data/export/jobs
GET /api/public/data/export/jobs/{job_id}|DELETE /api/public/data/export/jobs/{job_id}|GET /api/public/data/export/jobs/{job_id}/result
GET /api/public/data/export/jobs/{job_id}/review-pack|GET /api/public/data/health|GET /api/public/data/liquidations/context|GET /api/public/data/manifest
GET /api/public/data/packet-join/recipe|GET /api/public/data/replay/window|GET /api/public/data/status/freshness|GET /api/public/data/status/rights
GET /api/public/data/stream/manifest|GET /api/public/data/trades/latest|GET /api/public/data/gaps|GET /api/public/data/stream|GET /api/public/data/stream/replay
POST /api/public/market-state/account/auth/claim|POST /api/public/market-state/account/auth/login|POST /api/public/market-state/account/auth/logout
POST /api/public/market-state/account/auth/password-reset/request|POST /api/public/market-state/account/auth/password-reset/confirm
POST /api/public/market-state/account/billing/portal|POST /api/public/market-state/account/billing/checkout-session|GET /api/public/market-state/account/billing/invoices
GET /api/public/market-state/account/me|GET /api/public/market-state/account/keys|POST /api/public/market-state/account/keys|POST /api/public/market-state/account/sandbox-keys
PATCH /api/public/market-state/account/keys/{key_id}|DELETE /api/public/market-state/account/keys/{key_id}
GET /api/public/market-state/account/spend-controls|PUT /api/public/market-state/account/spend-controls
GET /api/public/market-state/latest|GET /api/public/market-state/replay|GET /api/public/market-state/history|GET /api/public/market-state/events/search|GET /api/public/market-state/stream
GET /api/public/market-state/events/{event_id}/evidence|GET /api/public/market-state/events/{event_id}/verify|GET /api/public/market-state/packets/{event_id}/workbench
GET /api/public/market-state/postmortems/{event_id}|POST /api/public/market-state/feedback/packet|GET /api/public/market-state/forced-flow/latest
GET /api/public/market-state/crowding-regime/latest|GET /api/public/market-state/microstructure/queue-fragility/latest|GET /api/public/market-state/microstructure/buyer-summary
GET /api/public/market-state/feature-quality|GET /api/public/market-state/usage|GET /api/public/market-state/usage/estimate|GET /api/public/market-state/usage/receipt
GET /api/public/market-state/tiers/simulator|GET /api/public/market-state/labels/stability|GET /api/public/market-state/status/proof|GET /api/public/market-state/status/release
GET /api/public/market-state/status/l4-history-roadmap|GET /api/public/market-state/status/source-quality
GET /api/public/market-state/watchlists|POST /api/public/market-state/watchlists|PATCH /api/public/market-state/watchlists/{watchlist_id}
DELETE /api/public/market-state/watchlists/{watchlist_id}|POST /api/public/market-state/watchlists/{watchlist_id}/rehearsal
GET /api/public/market-state/saved-searches|POST /api/public/market-state/saved-searches|GET /api/public/market-state/alerts|POST /api/public/market-state/alerts
GET /api/public/market-state/webhooks|POST /api/public/market-state/webhooks|GET /api/public/market-state/webhooks/deliveries|GET /api/public/market-state/webhooks/events
GET /api/public/market-state/demo/public-packet-construction|GET /api/public/market-state/demo/public-proof-browser|GET /api/public/market-state/demo/packet-construction
GET /api/public/market-state/demo/proof-browser|GET /api/public/market-state/demo/proof|GET /api/public/market-state/demo/labeling-policy|GET /api/public/market-state/demo/compute-lanes
GET /api/public/market-state/demo/state-taxonomy|GET /api/public/market-state/demo/build|GET /api/public/market-state/demo/release|GET /api/public/market-state/demo/source-quality
GET /openapi.json|GET /api/public/market-state/openapi.json|GET /api/public/market-state/docs/openapi.json|GET /.well-known/market-state-keys.json
`
  .split(/[\n|]/)
  .filter((line) => line !== '');

/** Limits and defaults in the contract's tables. */
const BOUNDS: readonly [string, string, object][] = [
  ['getBookL2Latest', 'symbol', { default: 'BTCUSD-PERP' }],
  ['getBookL2Latest', 'depth', { minimum: 1, maximum: 1000, default: 10 }],
  ['listCandles', 'tf', { default: '1m' }],
  ['listCandles', 'from', { default: '' }],
  ['listCandles', 'to', { default: '' }],
  ['getConnectorQuerySpec', 'depth', { minimum: 1, maximum: 1000, default: 10 }],
  ['getConnectorQuerySpec', 'limit', { minimum: 1, maximum: 1000, default: 100 }],
  ['getLiquidationsContext', 'window_seconds', { minimum: 30, maximum: 3600, default: 300 }],
  ['getPacketJoinRecipe', 'depth', { minimum: 1, maximum: 1000, default: 25 }],
  ['getPacketJoinRecipe', 'include_trades', { default: true }],
  ['getPacketJoinRecipe', 'include_candles', { default: false }],
  ['getPacketJoinRecipe', 'event_id', { default: '' }],
  ['getReplayWindow', 'channels', { default: '' }],
  ['listLatestTrades', 'limit', { minimum: 1, maximum: 1000, default: 100 }],
  ['replayPackets', 'replay_window_seconds', { minimum: 60, maximum: 86_400, default: 3600 }],
  ['getExportJob', 'job_id', { minLength: 1 }],
];

/** Lists without a limit, at any depth. */
function unboundedLists(node: unknown, place: string): string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => unboundedLists(item, `${place}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  const { type, maxItems } = node as { readonly type?: unknown; readonly maxItems?: unknown };
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array')) || (type === undefined && 'items' in node);
  const own = isList && !Number.isInteger(maxItems) ? [place] : [];
  return [...own, ...Object.entries(node).flatMap(([name, inner]) => unboundedLists(inner, `${place}/${name}`))];
}

/** Schemas that refuse undescribed properties, at any depth. */
function closedObjects(node: unknown, place: string): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const isClosed = ['additionalProperties', 'unevaluatedProperties'].some(
    (name) => (node as Readonly<Record<string, unknown>>)[name] === false,
  );
  return [...(isClosed ? [place] : []), ...Object.entries(node).flatMap(([name, inner]) => closedObjects(inner, `${place}/${name}`))];
}

describe('the document', () => {
  it('bounds every list: of parameters, bodies and answers', () => {
    expect(unboundedLists(openApiDocument, '')).toEqual([]);
    expect(
      unboundedLists({ a: { type: 'array' }, b: { type: ['array', 'null'] }, c: { items: {} }, d: { type: 'array', maxItems: 1 } }, ''),
    ).toEqual(['/a', '/b', '/c']);
  });

  it('lets every object of an answer have more properties than it describes', () => {
    const schemas = operations.flatMap(({ operationId, path, method }) =>
      Object.entries(openApiDocument.paths[path]?.[method]?.responses ?? {})
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([status, { content }]) =>
          Object.values(content ?? {}).map(({ schema }) => [`${operationId} ${status}`, schema] as const),
        ),
    );
    expect(schemas.length).toBeGreaterThan(80);
    expect(schemas.flatMap(([place, schema]) => closedObjects(dereference(openApiDocument, schema), place))).toEqual([]);
  });

  it('has one default of the query parameter `symbol`', () => {
    const symbols = operations.flatMap(({ parameters }) => parameters.filter((each) => each.name === 'symbol' && each.in === 'query'));
    expect(new Set(symbols.map(({ schema }) => (schema as { readonly default?: string }).default))).toEqual(new Set(['BTCUSD-PERP']));
  });

  it('says of every operation that it may be refused for its host or its expectation', () => {
    for (const methods of Object.values(openApiDocument.paths)) {
      for (const { responses } of Object.values(methods)) expect(responses).toMatchObject({ 417: {}, 421: {} });
    }
  });

  it('has version 1.0.0, both security schemes and flags on every operation', () => {
    expect(openApiDocument).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      components: {
        securitySchemes: {
          MarketStateApiKey: { type: 'apiKey', in: 'header', name: 'x-market-state-api-key' },
          MarketStateAccountSession: { type: 'apiKey', in: 'cookie', name: 'svc_market_state_session' },
        },
      },
    });
    for (const methods of Object.values(openApiDocument.paths)) {
      for (const operation of Object.values(methods)) {
        expect(operation).toMatchObject({
          'x-access': { requires_api_key: expect.any(Boolean), metered: expect.any(Boolean) },
        });
        expect(operation.security.length > 0).toBe(operation['x-access'].requires_api_key);
      }
    }
  });

  it.each(PROMISED)('describes %s', (line) => {
    const [method = '', path = ''] = line.split(' ');
    expect(openApiDocument.paths[path]?.[method.toLowerCase()]).toBeDefined();
  });

  it.each(BOUNDS)('gives %s %s its bounds', (operationId, parameter, bounds) => {
    const operation = operations.find((candidate) => candidate.operationId === operationId);
    expect(operation?.parameters.find(({ name }) => name === parameter)?.schema).toMatchObject(bounds);
  });

  it('lists the key header as required on every route of the data plane', () => {
    for (const operation of operations.filter(({ path }) => path.startsWith('/api/public/data/'))) {
      expect(operation.parameters).toContainEqual(
        expect.objectContaining({ name: 'x-market-state-api-key', in: 'header', required: true }),
      );
      expect(operation.credential).toBe('key');
    }
  });

  it('has one id for each operation', () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('is an OpenAPI 3.1 document by the specification', () => {
    const validator = new OpenAPISchemaValidator({ version: openApiDocument.openapi, validateApiSpec: true });
    expect(validator.validate(structuredClone(openApiDocument) as unknown as Parameters<typeof validator.validate>[0])).toEqual({
      errors: [],
    });
  });
});

/** Values of `policy_digest` at any depth. */
function policyDigestsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { policy_digest: digest } = node as { readonly policy_digest?: unknown };
  return [...(typeof digest === 'string' ? [digest] : []), ...Object.values(node).flatMap(policyDigestsIn)];
}

test('packets in examples are of the shipped policy', () => {
  const digests = policyDigestsIn(openApiDocument);
  expect(digests.length).toBeGreaterThan(10);
  expect([...new Set(digests)]).toEqual([loadPolicy().digest]);
});
