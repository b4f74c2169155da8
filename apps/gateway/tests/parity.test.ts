import fc from 'fast-check';
import { once } from 'node:events';
import { byOperationId } from '../src/serving/handlers/handler';
import type { AddressInfo } from 'node:net';
import type { account } from '@market-state/contracts';
import type { Lease, LeaseDesk, LeaseHolder } from '@market-state/credit-leases';
import { unknownSymbol } from '@market-state/errors';
import { silentLogger } from '@market-state/logging';
import { limitsOf } from '@market-state/pricing';
import { createMetrics } from '@market-state/telemetry';
import { createApp } from '../src/serving/app';
import type { Grant } from '../src/serving/auth/grant';
import type { CredentialDirectory } from '../src/serving/auth/credential-directory';
import type { Upstreams } from '../src/clients/upstreams';
import { fromProtoPacket } from '../src/clients/served-packet';
import { createLatestBoard } from '../src/boards/latest-board';
import { latestChecks } from '../src/boards/response-check';
import { createCallLoad } from '../src/serving/admission/call-load';
import { createMeter } from '../src/serving/metering/meter';
import { operationById } from '../src/serving/openapi/operations';
import { fastReads } from '../src/routes/market-state/fast-reads';
import { getBuyerSummary } from '../src/routes/market-state/get-buyer-summary';
import { getCrowdingRegimeLatest } from '../src/routes/market-state/get-crowding-regime-latest';
import { getForcedFlowLatest } from '../src/routes/market-state/get-forced-flow-latest';
import { getQueueFragilityLatest } from '../src/routes/market-state/get-queue-fragility-latest';
import { createNewestViews } from '../src/routes/market-state/views/newest-views';
import { fastLane } from '../src/serving/fast-lane/fast-lane';
import { createRequestValidator } from '../src/serving/validation/request-validator';
import { http, type RawRequest } from './stand-in/http-client';
import { packetRecord } from './stand-in/packet-record';

const LATEST = 'getLatest';
const VIEWS = ['getForcedFlowLatest', 'getCrowdingRegimeLatest', 'getQueueFragilityLatest', 'getBuyerSummary'] as const;
const GRANT: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read']),
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
  hasCeiling: false,
  expiresMs: Number.POSITIVE_INFINITY,
};
const directory: CredentialDirectory = {
  remembered: (key) => (key === 'good' ? GRANT : null),
  verify: async ({ secret }) => (secret === 'good' ? GRANT : null),
  generation: () => 0,
  isWatching: () => true,
  onChange: () => () => undefined,
  close: async () => undefined,
};

const QUERIES = [
  '',
  '?',
  '?symbol=BTCUSD-PERP',
  '?symbol=ALL',
  '?symbol=%42TCUSD-PERP',
  '?symbol=BTCUSD%2DPERP&',
  '?symbol=',
  '?symbol',
  '?symbol=all',
  '?symbol=btcusd-perp',
  '?symbol=BTCUSD-PERP+',
  '?symbol=XXXXXXXXXXXXXXXXXXXXXUSD-PERP',
  '?symbol=BTCUSD-PERP&symbol=BTCUSD-PERP',
  '?symbol[]=BTCUSD-PERP',
  '?symbol=BTCUSD-PERP&depth=1',
  '?depth=1&foo=2&symbol=x',
  '?symbol=BTCUSD-PERP&as_of=',
  '?symbol=BTCUSD-PERP&as_of=yesterday',
  '?__proto__=1',
  '?constructor=ALL&symbol=BTCUSD-PERP',
  '?symbol=%E0%A4%A',
  '?=1',
  `?symbol=BTCUSD-PERP&x=${'y'.repeat(2_100)}`,
  `?${'symbol=BTCUSD-PERP&'.repeat(40)}`,
];
const REQUESTS: readonly RawRequest[] = [
  {},
  { method: 'HEAD' },
  { headers: { 'accept-encoding': 'gzip' } },
  { headers: { 'accept-encoding': 'br;q=0.5, gzip;q=0.9' } },
  { headers: { 'if-none-match': '*' } },
  { headers: { 'content-type': 'text/plain; a=b' } },
  { headers: { 'x-market-state-api-key': 'bad' } },
  { headers: { 'x-max-credits': 'many' } },
];

/** Text with some of its characters percent-encoded, whether they need it or not. */
const encoded = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(text, fc.array(fc.boolean(), { maxLength: 12 }))
    .map(([value, marks]) =>
      [...value].map((letter, at) => (marks[at] === true ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}` : letter)).join(''),
    );
const symbols = fc.constantFrom(
  'BTCUSD-PERP',
  'ALL',
  'ETHUSD-PERP',
  'btcusd-perp',
  'All',
  'BTCUSD-PERP,ALL',
  'USD-PERP',
  '[ALL]',
  '{}',
  '',
);
const values = fc.oneof(
  { weight: 6, arbitrary: encoded(symbols) },
  { weight: 1, arbitrary: fc.stringMatching(/^[A-Z\d]{1,22}USD-PERP$/) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => encodeURIComponent(text)) },
);
const names = fc.oneof(
  { weight: 6, arbitrary: encoded(fc.constant('symbol')) },
  { weight: 1, arbitrary: fc.constantFrom('Symbol', 'symbol[]', 'symbol[a]', 'symbol+', '', 'depth', '__proto__', 'constructor') },
);
const pairs = fc.tuple(names, fc.constantFrom('=', '=', '=', '==', ''), values).map((parts) => parts.join(''));
/** Queries of which a good part is good. */
const queries = fc
  .tuple(fc.array(pairs, { maxLength: 2, size: 'max' }), fc.constantFrom('&', '&', '&&', ';'), fc.constantFrom('', '', '&'))
  .map(([sent, between, end]) => `?${sent.join(between)}${end}`);

/** A desk with credits for everything, that keeps what is charged. */
function plenty(charged: account.Charge[]): LeaseDesk {
  const lease = {
    perCallCeiling: null,
    settle: (_held: number, charge: account.Charge) => void charged.push(charge),
    cancel: () => undefined,
  } as unknown as Lease;
  const holder = { holdNow: () => lease, hold: async () => lease, remaining: () => 99 } as unknown as LeaseHolder;
  return {
    holderOf: () => holder,
    holderTotal: () => 1,
    posted: async () => undefined,
    giveBack: () => undefined,
    close: async () => undefined,
  };
}

const HEADROOM = ['RateLimit-Policy', '"plan";q=3000;w=60', 'RateLimit', '"plan";r=199;t=1'];

/** What a charge says of its call, but for what no two calls share. */
function saidOf({ requestId, caller, priced, status }: account.Charge): unknown {
  return { requestId, caller, priced, status };
}

describe('the fast lane', () => {
  const operation = operationById(LATEST);
  const nowMs = Date.now();
  const board = createLatestBoard({
    operation,
    now: () => nowMs,
    checks: latestChecks(),
    onInvalid: () => undefined,
  });
  board.setSymbols(['BTCUSD-PERP']);
  board.push(fromProtoPacket(packetRecord('BTCUSD-PERP', Math.floor(nowMs / 10_000) * 10_000)));
  board.setReach('stream');
  const validator = createRequestValidator({ symbols: () => [], knownToMs: () => Date.now() });

  /** Serves its reads with or without the fast lane; `hits` counts what it answered. */
  async function serve(isFast: boolean) {
    const metrics = createMetrics('gateway');
    const charged: account.Charge[] = [];
    const meter = createMeter({ desk: plenty(charged), quoteSecret: 's'.repeat(32), metrics, symbolTotal: () => 1, now: () => nowMs });
    const limits = { admit: async () => HEADROOM, countStray: async () => undefined, admitNow: () => HEADROOM };
    const views = createNewestViews(() => nowMs);
    const lane = fastLane(fastReads({ board, views }), { directory, metrics, logger: silentLogger(), limits, meter, symbolTotal: () => 1 });
    const newest = {
      // Only an instant is asked of them.
      upstreams: {} as Upstreams,
      latest: {
        newest: async (symbol: string) => {
          const held = board.held(symbol);
          if (held === undefined) throw unknownSymbol(symbol, ['BTCUSD-PERP']);
          return held;
        },
      },
      views,
      now: () => nowMs,
    };
    let hits = 0;
    const { createServer } = createApp({
      directory,
      validator,
      logger: silentLogger(),
      metrics,
      streams: { serve: async () => undefined },
      files: { serve: async () => undefined },
      idempotency: { begin: () => Promise.reject(new Error('reads take no key')) },
      limits,
      load: createCallLoad({ level: () => 0, directory, symbolTotal: () => 1, metrics }),
      meter,
      addressOf: () => '127.0.0.1',
      origins: () => new Set(),
      sandbox: (_operation, handler) => handler,
      handlers: byOperationId<typeof LATEST | (typeof VIEWS)[number]>({
        getForcedFlowLatest: getForcedFlowLatest(newest),
        getCrowdingRegimeLatest: getCrowdingRegimeLatest(newest),
        getQueueFragilityLatest: getQueueFragilityLatest(newest),
        getBuyerSummary: getBuyerSummary(newest),
        getLatest: ({ input }) => {
          const response = board.published(input.query.symbol, input.query.view);
          if (response === null) throw new Error('no packet');
          return { ...response.representation, observed: response.symbolTotal };
        },
      }),
      fastLane: (req, res) => {
        const isServed = isFast && lane(req, res);
        if (isServed) hits += 1;
        return isServed;
      },
      probes: new Map(),
    });
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      hits: () => hits,
      charged: () => charged.map(saidOf),
      close: () => server.close(),
    };
  }

  type Served = Awaited<ReturnType<typeof serve>>;
  let quick: Served;
  let full: Served;
  beforeAll(async () => {
    quick = await serve(true);
    full = await serve(false);
  });
  afterAll(() => {
    quick.close();
    full.close();
    board.close();
  });

  /** Sends a request both ways and compares all that comes back; the status. */
  async function compare(operationId: string, query: string, request: RawRequest): Promise<number> {
    const path = operationById(operationId).path + query;
    const sent = { ...request, headers: { 'x-market-state-api-key': 'good', 'x-request-id': 'same', ...request.headers } };
    const [a, b] = await Promise.all([http(quick.url + path, sent), http(full.url + path, sent)]);
    const comparable = ({ status, headers, bytes }: typeof a) => ({
      query,
      status,
      headers: { ...headers, date: undefined },
      body: bytes.toString('latin1'),
    });
    expect(comparable(a)).toEqual(comparable(b));
    return a.status;
  }

  it.each([LATEST, ...VIEWS])(
    'of %s lets through and refuses what the stock validator does, with the same status, headers and body',
    async (id) => {
      const [before, chargedBefore] = [quick.hits(), quick.charged().length];
      for (const query of QUERIES) for (const request of REQUESTS) await compare(id, query, request);
      expect(quick.hits() - before).toBe(6 * 6);
      expect(full.hits()).toBe(0);
      expect(quick.charged()).toEqual(full.charged());
      expect(quick.charged()).toHaveLength(chargedBefore + 6 * 6);
    },
  );

  it.each([LATEST, ...VIEWS])('of %s lets through and refuses what the stock validator does, whatever the query', async (id) => {
    const runs = id === LATEST ? 300 : 50;
    const before = quick.hits();
    const seen = { good: 0, bad: 0 };
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        const status = await compare(id, query, {});
        seen[status === 200 ? 'good' : 'bad'] += 1;
      }),
      { numRuns: runs },
    );
    expect(Math.min(seen.good, seen.bad)).toBeGreaterThan(runs / 20);
    expect(quick.hits() - before).toBeGreaterThanOrEqual(seen.good);
    expect(quick.charged()).toEqual(full.charged());
  });
});
