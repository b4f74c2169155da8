import { silentLogger } from '@market-state/logging';
import type { WebSocket } from 'ws';
import { bookOf } from '../src/hyperliquid-source';
import { type ConnectionEvent, createHyperliquidSource, runConnection } from '../src/index';
import { type LoopbackVenue, type Script, startLoopbackVenue } from './loopback-venue';

const CONTEXTS = '[{"universe":[{"name":"BTC"},{"name":"ETH"},{"name":"OLD","isDelisted":true}]},[{},{},{}]]';
const FUNDED_MS = 1_700_000_100_000;

let venue: LoopbackVenue | undefined;
const stop = new AbortController();
afterEach(() => venue?.close());

interface Requested {
  readonly type: string;
  readonly coin?: string;
}

/** Acknowledges subscriptions, then sends `hello`; answers each request with its name. */
function acknowledging(after: (socket: WebSocket, index: number) => void = () => undefined, said: unknown[] = []): Script {
  return {
    onOpen: (socket, index) =>
      socket.on('message', (data: Buffer) => {
        const message = JSON.parse(data.toString()) as { method: string; subscription: { type: string } };
        said.push(message);
        socket.send(JSON.stringify({ channel: 'subscriptionResponse', data: message }));
        if (message.subscription.type === 'candle') after(socket, index);
      }),
    answer: (body) => ((body as Requested).type === 'metaAndAssetCtxs' ? CONTEXTS : JSON.stringify([body])),
  };
}

async function start(script: Script, simulated = false, random = () => 0) {
  venue = await startLoopbackVenue(script);
  const source = createHyperliquidSource({ ...venue, logger: silentLogger(), simulated, clock: { nowMs: () => FUNDED_MS } });
  const waits: number[] = [];
  const wait = (durationMs: number): Promise<void> => (waits.push(durationMs), Promise.resolve());
  const run = (instruments: readonly string[], signal: AbortSignal): AsyncGenerator<ConnectionEvent> =>
    runConnection({ source, instruments, signal, logger: silentLogger(), random, wait });
  return { source, run, waits, requested: venue.requested };
}

test('subscribes each coin to whole books at both paces, best prices, trades, context and candles; at the simulated venue first to what is its alone', async () => {
  const said: unknown[] = [];
  const { source } = await start(acknowledging(undefined, said), true);
  const connection = await source.connect(stop.signal);
  await connection.subscribe(['BTC']);
  connection.close();
  expect(said).toEqual(
    [
      { type: 'simLiquidations', coin: 'BTC' },
      { type: 'l2Book', coin: 'BTC' },
      { type: 'l2Book', coin: 'BTC', fast: true },
      { type: 'bbo', coin: 'BTC' },
      { type: 'trades', coin: 'BTC' },
      { type: 'activeAssetCtx', coin: 'BTC' },
      { type: 'candle', coin: 'BTC', interval: '1m' },
    ].map((subscription) => ({ method: 'subscribe', subscription })),
  );
});

test('a subscription that the venue refuses is reported in its words', async () => {
  const { source } = await start({
    ...acknowledging(),
    onOpen: (socket) => socket.on('message', () => socket.send('{"channel":"error","data":"Invalid subscription"}')),
  });
  const connection = await source.connect(stop.signal);
  await expect(connection.subscribe(['BTC'])).rejects.toMatchObject({
    fault: 'bad_answer',
    message: expect.stringContaining('Invalid subscription') as string,
  });
  connection.close();
});

test('a connection catches up on request: trades, book, and funding since the hour of the time given', async () => {
  const { source, requested } = await start(acknowledging());
  const connection = await source.connect(stop.signal);
  await connection.subscribe(['BTC', 'ETH']);
  expect(requested).toEqual([{ type: 'metaAndAssetCtxs' }]);
  await connection.catchUp('BTC', FUNDED_MS);
  expect(requested.slice(1)).toEqual([
    { type: 'recentTrades', coin: 'BTC' },
    { type: 'l2Book', coin: 'BTC' },
    { type: 'fundingHistory', coin: 'BTC', startTime: 1_699_999_200_000 },
  ]);
  const texts: string[] = [];
  for await (const { messages } of connection.messages()) {
    texts.push(...messages.map(({ text }) => text));
    if (texts.some((text) => text.includes('fundingHistory'))) break;
  }
  expect(texts).toContain('[{"type":"recentTrades","coin":"BTC"}]');
  connection.close();
});

test('a question of the past that the venue does not answer ends nothing, and the others are asked', async () => {
  const usual = acknowledging();
  const { source, requested } = await start({
    ...usual,
    answer: (body) => ((body as Requested).type === 'recentTrades' ? 503 : (usual.answer?.(body) ?? 404)),
  });
  const connection = await source.connect(stop.signal);
  await connection.catchUp('BTC', FUNDED_MS);
  expect(requested.map((body) => (body as Requested).type)).toEqual(['recentTrades', 'l2Book', 'fundingHistory']);
  connection.close();
});

test('a snapshot that is asked for comes among the messages as the venue answered it', async () => {
  const { source } = await start(acknowledging());
  const connection = await source.connect(stop.signal);
  await connection.requestSnapshot('ETH');
  const { value } = await connection.messages()[Symbol.asyncIterator]().next();
  expect((value as { messages: { text: string }[] }).messages.map(({ text }) => text)).toEqual([
    '[{"type":"l2Book","coin":"ETH"}]',
    '[{"type":"recentTrades","coin":"ETH"}]',
  ]);
  connection.close();
});

test('connections that keep failing are retried after 250 ms to 30 s, each delay drawn from a ceiling that doubles', async () => {
  const { run, waits } = await start({ answer: () => 503 }, false, () => 0.999_999);
  const leaving = new AbortController();
  const events = run(['BTC'], leaving.signal);
  const ended = events.next();
  while (waits.length < 9) await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  expect(await ended).toEqual({ done: true, value: undefined });
  expect(waits.slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('never more subscriptions than the venue takes: with more than 166 coins the last have no candles', async () => {
  const coins = Array.from({ length: 170 }, (_, index) => `C${index}`);
  const said: { method: string; subscription: { type: string; coin: string } }[] = [];
  const contexts = JSON.stringify([{ universe: coins.map((name) => ({ name })) }, coins.map(() => ({}))]);
  const { source } = await start({
    ...acknowledging(undefined, said),
    answer: (body) => ((body as Requested).type === 'metaAndAssetCtxs' ? contexts : 404),
  });
  const connection = await source.connect(stop.signal);
  expect(await connection.subscribe(coins)).toEqual(new Map());
  connection.close();
  expect(said).toHaveLength(1_000);
  const coinsWith = (type: string): string[] =>
    said.filter(({ subscription }) => subscription.type === type).map(({ subscription }) => subscription.coin);
  expect([coinsWith('bbo').length, coinsWith('l2Book').length]).toEqual([170, 340]);
  expect(coinsWith('candle')).toEqual(coins.slice(0, 150));
});

test.each([
  ['{"channel":"l2Book","data":{"coin":"BTC","levels":[[', { stream: 'l2Book', instrument: 'BTC' }],
  ['{"channel":"l2Book","data":{"coin":"kPEPE","time":1,"levels":[[', { stream: 'l2Book', instrument: 'kPEPE' }],
  ['{"channel":"bbo","data":{"coin":"ETH","time":1,"bbo":[', { stream: 'bbo', instrument: 'ETH' }],
  ['{"channel":"trades","data":[{"coin":"BTC"', undefined],
  ['{"coin":"BTC","levels":[[', undefined],
])('%s may collapse as %o', (text, book) => {
  expect(bookOf(text)).toEqual(book);
});
