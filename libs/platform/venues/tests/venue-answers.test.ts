import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVenueAnswers } from '../src/index';

const MINUTE_MS = 60_000;
const FROM_MS = Date.UTC(2026, 0, 1);
const { signal } = new AbortController();

/** Requests as `<method> <path> <body>`. */
const requested: string[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (piece: Buffer) => (body += piece.toString()));
  request.on('end', () => {
    requested.push(`${request.method} ${request.url} ${body}`);
    response.end('{"answered":true}');
  });
});

beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)));
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => requested.splice(0));

async function askAll(venue: string, instrument: string): Promise<string[]> {
  const answers = createVenueAnswers(venue, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  expect(await answers.candles(instrument, FROM_MS, FROM_MS + 3 * MINUTE_MS, signal)).toBe('{"answered":true}');
  await answers.book(instrument, signal);
  await answers.context(instrument, signal);
  return requested;
}

test('Hyperliquid is asked by its info route, the end of a span left out', async () => {
  const span = `"startTime":${FROM_MS},"endTime":${FROM_MS + 3 * MINUTE_MS - 1}`;
  expect(await askAll('hyperliquid', 'BTC')).toEqual([
    `POST /info {"type":"candleSnapshot","req":{"coin":"BTC","interval":"1m",${span}}}`,
    'POST /info {"type":"l2Book","coin":"BTC"}',
    'POST /info {"type":"metaAndAssetCtxs"}',
  ]);
});

test.each([
  ['binance-coinm', 'BTCUSD_PERP', '/dapi/v1'],
  ['binance-usdm', 'BTCUSDT', '/fapi/v1'],
])('%s is asked for klines, depth and premium index', async (venue, name, path) => {
  expect(await askAll(venue, name)).toEqual([
    `GET ${path}/klines?symbol=${name}&interval=1m&startTime=${FROM_MS}&endTime=${FROM_MS + 3 * MINUTE_MS - 1}&limit=500 `,
    `GET ${path}/depth?symbol=${name}&limit=5 `,
    `GET ${path}/premiumIndex?symbol=${name} `,
  ]);
});

test('a venue that is not known is refused', () => {
  expect(() => createVenueAnswers('nowhere', 'http://127.0.0.1')).toThrow('venue nowhere has no REST client');
});
