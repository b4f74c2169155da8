import { once } from 'node:events';
import { byOperationId } from '../src/serving/handlers/handler';
import type { AddressInfo } from 'node:net';
import type { account } from '@market-state/contracts';
import { silentLogger } from '@market-state/logging';
import { limitsOf } from '@market-state/pricing';
import { createMetrics } from '@market-state/telemetry';
import { createApp } from '../src/serving/app';
import type { Grant } from '../src/serving/auth/grant';
import type { CredentialDirectory } from '../src/serving/auth/credential-directory';
import { fromProtoPacket } from '../src/clients/served-packet';
import { createLatestBoard } from '../src/boards/latest-board';
import { responseCheck } from '../src/boards/response-check';
import { createCallLoad } from '../src/serving/admission/call-load';
import type { CreditDesk } from '../src/serving/metering/credit-desk';
import type { Lease } from '../src/serving/metering/lease';
import type { LeaseHolder } from '../src/serving/metering/lease-holder';
import { createMeter } from '../src/serving/metering/meter';
import { operationById } from '../src/serving/openapi/operations';
import { hotLatest } from '../src/routes/market-state/hot-latest';
import { createRequestValidator } from '../src/serving/validation/request-validator';
import { http, type RawRequest } from './stand-in/http-client';
import { packetRecord } from './stand-in/packet-record';

const LATEST = '/api/public/market-state/latest';
const GRANT: Grant = {
  kind: 'key',
  keyId: 'key_1',
  accountId: null,
  tenantId: 'ten_1',
  sandbox: false,
  scopes: new Set(['read']),
  plan: { planId: 'public_pro', perSecond: 50, burst: 200, limits: limitsOf('public_pro'), paying: true },
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
  { headers: { 'x-market-state-api-key': 'bad' } },
];

/** A desk with credits for everything, that keeps what is charged. */
function plenty(charged: account.Charge[]): CreditDesk {
  const lease = {
    perCallCeiling: null,
    settle: (_held: number, charge: account.Charge) => void charged.push(charge),
    cancel: () => undefined,
  } as unknown as Lease;
  const holder = { holdNow: () => lease, hold: async () => lease, remaining: () => 99 } as unknown as LeaseHolder;
  return { holderOf: () => holder, tenantTotal: () => 1, close: async () => undefined };
}

const HEADROOM = ['RateLimit-Policy', '"plan";q=3000;w=60', 'RateLimit', '"plan";r=199;t=1'];

/** What a charge says of its call, but for what no two calls share. */
function saidOf({ requestId, caller, priced, status }: account.Charge): unknown {
  return { requestId, caller, priced, status };
}

describe('the validator compiled for latest', () => {
  const operation = operationById('getLatest');
  const nowMs = Date.now();
  const board = createLatestBoard({
    operation,
    now: () => nowMs,
    check: responseCheck('LatestResponse'),
    onInvalid: () => undefined,
  });
  board.setSymbols(['BTCUSD-PERP']);
  board.push(fromProtoPacket(packetRecord('BTCUSD-PERP', Math.floor(nowMs / 10_000) * 10_000)));
  board.setReach('stream');
  const validator = createRequestValidator(() => []);

  /** Serves latest with or without the shortcut; `hits` counts what it answered. */
  async function serve(shortcut: boolean) {
    const metrics = createMetrics('gateway');
    const charged: account.Charge[] = [];
    const meter = createMeter({ desk: plenty(charged), quoteSecret: 's'.repeat(32), metrics, symbolTotal: () => 1, now: () => nowMs });
    const limits = { admit: async () => HEADROOM, countStray: async () => undefined, admitNow: () => HEADROOM };
    const hot = hotLatest({ operation, board, directory, metrics, logger: silentLogger(), limits, meter });
    let hits = 0;
    const { createServer } = createApp({
      directory,
      validator,
      logger: silentLogger(),
      metrics,
      streams: { serve: async () => undefined },
      idempotency: { begin: () => Promise.reject(new Error('latest takes no key')) },
      limits,
      load: createCallLoad({ level: () => 0, directory, symbolTotal: () => 1, metrics }),
      meter,
      addressOf: () => '127.0.0.1',
      origins: () => new Set(),
      sandbox: (_operation, handler) => handler,
      handlers: byOperationId<'getLatest'>({
        getLatest: ({ input }) => {
          const response = board.published(input.query.symbol);
          if (response === null) throw new Error('no packet');
          return { ...response.representation, observed: response.symbolTotal };
        },
      }),
      hotLatest: (req, res) => {
        const isServed = shortcut && hot(req, res);
        if (isServed) hits += 1;
        return isServed;
      },
      probes: new Map(),
    });
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${LATEST}`,
      hits: () => hits,
      charged: () => charged.map(saidOf),
      close: () => server.close(),
    };
  }

  it('lets through and refuses what the stock validator does, with the same status, headers and body', async () => {
    const quick = await serve(true);
    const full = await serve(false);
    for (const query of QUERIES) {
      for (const request of REQUESTS) {
        const sent = { ...request, headers: { 'x-market-state-api-key': 'good', 'x-request-id': 'same', ...request.headers } };
        const [a, b] = await Promise.all([http(quick.url + query, sent), http(full.url + query, sent)]);
        const comparable = ({ status, headers, bytes }: typeof a) => ({
          query,
          status,
          headers: { ...headers, date: undefined },
          body: bytes.toString('latin1'),
        });
        expect(comparable(a)).toEqual(comparable(b));
      }
    }
    expect(quick.hits()).toBe(6 * 5);
    expect(full.hits()).toBe(0);
    expect(quick.charged()).toEqual(full.charged());
    expect(quick.charged()).toHaveLength(6 * 5);
    quick.close();
    full.close();
    board.close();
  });
});
