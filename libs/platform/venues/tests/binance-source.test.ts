import { silentLogger } from '@market-state/logging';
import { bookOf } from '../src/binance/routes';
import { createBinanceSource, type MessageBatch, type VenueConnection } from '../src/index';
import { type BinanceScript, type BinanceVenue, startBinanceVenue } from './binance-venue';

let venue: BinanceVenue | undefined;
let connection: VenueConnection | undefined;
const stop = new AbortController();
afterEach(async () => {
  connection?.close();
  await venue?.close();
});

/** Open interest polls wait for its end. */
async function connect(market: 'coinm' | 'usdm', script: BinanceScript = {}) {
  venue = await startBinanceVenue(script);
  const source = createBinanceSource({
    market,
    ...venue,
    logger: silentLogger(),
    wait: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  });
  connection = await source.connect(stop.signal);
  return { connection, venue };
}

/** Messages up to the first match. */
async function readTo(messages: AsyncIterable<MessageBatch>, holds: (text: string) => boolean): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of messages) {
    texts.push(...batch.messages.map(({ text }) => text));
    if (texts.some(holds)) return texts;
  }
  return texts;
}

const STREAMS = ['depth@100ms', 'trade', 'markPrice@1s', 'ticker', 'forceOrder'];

test('COIN-M: all streams of every instrument on one socket', async () => {
  const { connection, venue } = await connect('coinm');
  await connection.subscribe(['BTCUSD_PERP', 'ETHUSD_PERP']);
  expect(venue.subscribed).toEqual({
    '/stream': ['btcusd_perp', 'ethusd_perp'].flatMap((name) => STREAMS.map((stream) => `${name}@${stream}`)),
  });
});

test('USD-M: fast streams and slow ones at their own addresses, their messages as of one connection', async () => {
  const { connection, venue } = await connect('usdm', {
    onSubscribed: (socket, path) => socket.send(`{"stream":"btcusdt@x","data":"${path}"}`),
  });
  await connection.subscribe(['BTCUSDT']);
  expect(venue.subscribed).toEqual({
    '/public/stream': ['btcusdt@depth@100ms', 'btcusdt@trade'],
    '/market/stream': ['btcusdt@markPrice@1s', 'btcusdt@ticker', 'btcusdt@forceOrder'],
  });
  const seen = new Set<string>();
  const texts = await readTo(connection.messages(), (text) => text.includes('/') && seen.add(text).size === 2);
  expect(texts).toEqual(
    expect.arrayContaining(['{"stream":"btcusdt@x","data":"/public/stream"}', '{"stream":"btcusdt@x","data":"/market/stream"}']),
  );
});

test('says first what was subscribed and the funding interval that the venue lists, then the open interest; each names its instrument', async () => {
  const funding = '{"symbol":"BTCUSD_PERP","fundingIntervalHours":4}';
  const { connection, venue } = await connect('coinm', {
    answer: (route) => (route === 'fundingInfo' ? `[{"symbol":"OTHER","fundingIntervalHours":1},${funding}]` : undefined),
  });
  await connection.subscribe(['BTCUSD_PERP']);
  const texts = await readTo(connection.messages(), (text) => text.includes('@openInterest'));
  expect(texts).toEqual([
    `{"stream":"btcusd_perp@subscribed","data":${JSON.stringify({ streams: STREAMS })}}`,
    `{"stream":"btcusd_perp@fundingInfo","data":${funding}}`,
    '{"result":null,"id":1}',
    '{"stream":"btcusd_perp@openInterest","data":{"symbol":"BTCUSD_PERP","openInterest":"15004","time":1723161256000}}',
  ]);
  expect(venue.requested).toEqual(['/dapi/v1/exchangeInfo', '/dapi/v1/fundingInfo', '/dapi/v1/openInterest?symbol=BTCUSD_PERP']);
});

test('a refused subscription is reported in the venue’s words', async () => {
  const { connection } = await connect('coinm', { acknowledgement: '{"error":{"code":2,"msg":"Invalid request"},"id":1}' });
  await expect(connection.subscribe(['BTCUSD_PERP'])).rejects.toMatchObject({
    fault: 'bad_answer',
    message: expect.stringContaining('Invalid request') as string,
  });
});

test('a whole book is asked for once, and comes as it was sent on one line', async () => {
  const book = '{"lastUpdateId":7,\n"bids":[["1.0","2"]],"asks":[]}';
  const { connection, venue } = await connect('usdm', { answer: (route) => (route === 'depth' ? book : undefined) });
  await connection.subscribe(['BTCUSDT']);
  await connection.requestSnapshot('BTCUSDT');
  expect(venue.requested.filter((path) => path.includes('depth'))).toEqual(['/fapi/v1/depth?symbol=BTCUSDT&limit=1000']);
  const texts = await readTo(connection.messages(), (text) => text.includes('@depthSnapshot'));
  expect(texts.at(-1)).toBe('{"stream":"btcusdt@depthSnapshot","data":{"lastUpdateId":7, "bids":[["1.0","2"]],"asks":[]}}');
});

test('a failed book request is reported immediately', async () => {
  const { connection, venue } = await connect('coinm', { answer: (route) => (route === 'depth' ? 418 : undefined) });
  await expect(connection.requestSnapshot('BTCUSD_PERP')).rejects.toMatchObject({
    fault: 'bad_answer',
    message: expect.stringContaining('418') as string,
  });
  expect(venue.requested.filter((path) => path.includes('depth'))).toHaveLength(1);
});

test('a book that comes when its connection has ended is thrown away', async () => {
  let answered = (): void => undefined;
  const requested = new Promise<void>((resolve) => (answered = resolve));
  const { connection } = await connect('coinm', {
    answer: (route) => (route === 'depth' ? (answered(), '{"lastUpdateId":7,"bids":[],"asks":[]}') : undefined),
  });
  const wanted = connection.requestSnapshot('BTCUSD_PERP');
  const refused = expect(wanted).rejects.toMatchObject({ fault: 'connection_lost' });
  await requested;
  connection.close();
  await refused;
  expect(await readTo(connection.messages(), () => false)).toEqual([]);
});

test('a failed request for open interest is retried, and ends nothing', async () => {
  let reported = false;
  venue = await startBinanceVenue({ answer: (route) => (route === 'openInterest' && !reported ? ((reported = true), 500) : undefined) });
  const source = createBinanceSource({
    market: 'coinm',
    ...venue,
    logger: silentLogger(),
    wait: (_, signal) => (signal.aborted ? Promise.reject(signal.reason as Error) : new Promise((resolve) => setImmediate(resolve))),
  });
  connection = await source.connect(stop.signal);
  await connection.subscribe(['BTCUSD_PERP']);
  expect((await readTo(connection.messages(), (text) => text.includes('@openInterest'))).at(-1)).toContain('15004');
});

test.each(['/public/stream', '/market/stream'])('USD-M: when %s is lost the connection is', async (lost) => {
  const { connection } = await connect('usdm', { onSubscribed: (socket, path) => (path === lost ? socket.terminate() : undefined) });
  const read = readTo(connection.messages(), () => false);
  await Promise.allSettled([connection.subscribe(['BTCUSDT'])]);
  await expect(read).rejects.toMatchObject({ fault: 'connection_lost' });
});

test('only changes of a book may be let go', () => {
  expect(bookOf('{"stream":"btcusd_perp@depth@100ms","data":{}}')).toEqual({ instrument: 'BTCUSD_PERP', stream: 'depth' });
  expect(bookOf('{"stream":"币安人生usdt@depth@100ms","data":{}}')).toEqual({ instrument: '币安人生USDT', stream: 'depth' });
  for (const stream of ['trade', 'depthSnapshot', 'markPrice@1s', 'forceOrder'])
    expect(bookOf(`{"stream":"btcusd_perp@${stream}","data":{}}`)).toBeUndefined();
});
