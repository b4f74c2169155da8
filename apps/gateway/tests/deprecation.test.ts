import { openApiDocument } from '../src/serving/openapi/document';
import { type Operation, operationById, operationsOf } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { openStream } from './stand-in/event-stream';
import type { RawResponse } from './stand-in/http-client';

const LATEST = '/api/public/market-state/latest';
/** One operation per kind of answer: fast path, handler, stream, body, without a key. */
const DEPRECATED = ['getLatest', 'simulateTiers', 'streamPackets', 'createKey', 'getDemoBuild'];
const SAID = {
  deprecated: true,
  'x-deprecated-at': '2026-12-01T00:00:00Z',
  'x-sunset': '2027-06-01T12:00:00Z',
  'x-deprecation-link': '/docs/run/changelog',
} as const;
const DEPRECATION_HEADERS = ['@1796083200', 'Tue, 01 Jun 2027 12:00:00 GMT', '</docs/run/changelog>; rel="deprecation"; type="text/html"'];

/** Operations of a document in which these are deprecated. */
function readDeprecated(): Operation[] {
  const paths = Object.fromEntries(
    Object.entries(openApiDocument.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          DEPRECATED.includes(operation.operationId) ? { ...operation, ...SAID } : operation,
        ]),
      ),
    ]),
  );
  return operationsOf({ ...openApiDocument, paths }).filter(({ deprecation }) => deprecation !== null);
}

const deprecationHeadersOf = ({ headers }: Pick<RawResponse, 'headers'>): unknown => [
  headers['deprecation'],
  headers['sunset'],
  headers['link'],
];

describe('a deprecated operation', () => {
  let booted: BootedGateway;
  const changed: { deprecation: Operation['deprecation'] }[] = [];
  beforeAll(async () => {
    for (const { operationId, deprecation } of readDeprecated()) {
      const served = operationById(operationId) as { deprecation: Operation['deprecation'] };
      served.deprecation = deprecation;
      changed.push(served);
    }
    booted = await bootGateway({ monotonicMs: () => 1_000_000 });
  });
  afterAll(async () => {
    for (const served of changed) served.deprecation = null;
    await booted.close();
  });

  it('says so on every answer: kept ready, made by a handler, unchanged, invalid, refused, of a limit and of a stream', async () => {
    expect(changed).toHaveLength(DEPRECATED.length);
    const fresh = await booted.keyed(`${LATEST}?symbol=BTCUSD-PERP`);
    const ofOne = booted.account.issue({ plan: { planId: 'public_builder', ratePerSecond: 1, burst: 1 }, tenantId: 'ten_slow' });
    const limited = Array.from({ length: 3 }, () =>
      booted.get(`${LATEST}?symbol=BTCUSD-PERP`, { headers: { 'x-market-state-api-key': ofOne } }),
    );
    const answers = [
      fresh,
      await booted.keyed(`${LATEST}?symbol=BTCUSD-PERP`, { headers: { 'if-none-match': String(fresh.headers['etag']) } }),
      await booted.keyed(`${LATEST}?symbol=ALL`),
      await booted.keyed(`${LATEST}?symbol=XYZUSD-PERP`),
      await booted.keyed(`${LATEST}?symbol=nonsense`),
      await booted.get(LATEST),
      await booted.keyed('/api/public/market-state/tiers/simulator'),
      await booted.keyed('/api/public/market-state/account/keys', {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      }),
      await booted.get('/api/public/market-state/demo/build'),
      ...(await Promise.all(limited)).filter(({ status }) => status === 429),
    ];
    expect(answers.map(({ status }) => status).slice(0, 10)).toEqual([200, 304, 200, 404, 422, 401, 200, 400, 200, 429]);
    for (const answer of answers) expect(deprecationHeadersOf(answer)).toEqual(DEPRECATION_HEADERS);
    const url = `${booted.gateway.url}/api/public/market-state/stream?symbol=BTCUSD-PERP`;
    const stream = await openStream(url, { 'x-market-state-api-key': booted.key });
    expect(deprecationHeadersOf(stream)).toEqual(DEPRECATION_HEADERS);
    stream.cut();
  });

  it('leaves other operations, and other methods of its path, as they are', async () => {
    for (const path of ['/api/public/market-state/account/keys', '/api/public/data/health', '/api/public/market-state/demo/release'])
      expect(deprecationHeadersOf(await booted.keyed(path))).toEqual([undefined, undefined, undefined]);
    expect(deprecationHeadersOf(await booted.keyed(LATEST, { method: 'DELETE' }))).toEqual([undefined, undefined, undefined]);
  });
});
