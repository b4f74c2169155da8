import WebSocket from 'ws';
import type { SimulatedVenue } from '../src/index';
import { connect, EVERYTHING, post, START_MS, stepped } from './client';
import { faultsOf } from './schema';

let venue: SimulatedVenue;
afterEach(() => venue.close());

test('every frame of five minutes, and every answer, has the shape of what the venue really sends', async () => {
  venue = await stepped();
  venue.advanceTo(START_MS + 5_000);
  const { texts, socket, frames } = await connect(venue, ...EVERYTHING);
  venue.advanceTo(START_MS + 305_000);
  await venue.flushed();
  expect(texts.flatMap((text) => faultsOf('frame', JSON.parse(text)))).toEqual([]);
  for (const channel of ['subscriptionResponse', 'l2Book', 'bbo', 'trades', 'activeAssetCtx', 'candle', 'simLiquidations'])
    expect([channel, frames(channel).length]).not.toContain(0);
  const info = async (body: object): Promise<unknown> => (await post(`${venue.restUrl}/info`, body)).body;
  const req = { coin: 'SIM', interval: '1m', startTime: START_MS, endTime: START_MS + 300_000 };
  expect(faultsOf('bookData', await info({ type: 'l2Book', coin: 'SIM' }))).toEqual([]);
  expect(faultsOf('recentTrades', await info({ type: 'recentTrades', coin: 'SIM' }))).toEqual([]);
  expect(faultsOf('metaAndAssetCtxs', await info({ type: 'metaAndAssetCtxs' }))).toEqual([]);
  expect(faultsOf('meta', await info({ type: 'meta' }))).toEqual([]);
  expect(faultsOf('allMids', await info({ type: 'allMids' }))).toEqual([]);
  expect(faultsOf('fundingHistory', await info({ type: 'fundingHistory', coin: 'SIM', startTime: 0 }))).toEqual([]);
  expect(faultsOf('candleSnapshot', await info({ type: 'candleSnapshot', req }))).toEqual([]);
  expect(await info({ type: 'candleSnapshot', req })).toHaveLength(6);
  expect(await post(`${venue.restUrl}/info`, { type: 'l3Book' })).toMatchObject({ status: 422 });
  socket.terminate();
});

test('the same seed sends the same frames', async () => {
  const play = async (seed: number): Promise<string[]> => {
    venue = await stepped(seed);
    const { texts, socket } = await connect(venue, ...EVERYTHING);
    venue.advanceTo(START_MS + 30_000);
    await venue.flushed();
    socket.terminate();
    await venue.close();
    return texts;
  };
  const [first, again, other] = [await play(7), await play(7), await play(8)];
  expect(first.length).toBeGreaterThan(400);
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  venue = await stepped();
});

test('a subscription begins with the newest book or the last trades; whole books have 20 levels, fast ones 5, at their paces', async () => {
  venue = await stepped();
  venue.advanceTo(START_MS + 20_000);
  const whole = await connect(venue, EVERYTHING[0] ?? {}, EVERYTHING[3] ?? {});
  const fast = await connect(venue, EVERYTHING[1] ?? {});
  expect(whole.frames('trades')[0]?.data).toHaveLength(30);
  venue.advanceTo(START_MS + 30_000);
  await venue.flushed();
  expect(whole.frames('l2Book').map(({ data }) => data.levels.map((side) => side.length))).toEqual(Array(21).fill([20, 20]));
  expect(fast.frames('l2Book').map(({ data }) => data.levels.map((side) => side.length))).toEqual(Array(41).fill([5, 5]));
  for (const { socket } of [whole, fast]) socket.terminate();
});

test('the last candle of a minute counts its trades', async () => {
  venue = await stepped();
  const { frames, socket } = await connect(venue, EVERYTHING[3] ?? {}, EVERYTHING[5] ?? {});
  venue.advanceTo(START_MS + 180_000);
  await venue.flushed();
  const times = frames('trades').flatMap(({ data }) => data.map(({ time }) => time));
  const candles = (
    await post(`${venue.restUrl}/info`, {
      type: 'candleSnapshot',
      req: { coin: 'SIM', interval: '1m', startTime: START_MS, endTime: START_MS + 179_000 },
    })
  ).body as { t: number; n: number }[];
  expect(candles.map(({ n }) => n)).toEqual(
    [0, 1, 2].map((minute) => times.filter((time) => Math.floor((time - START_MS) / 60_000) === minute).length),
  );
  socket.terminate();
});

test('an upgrade of a path that is none is refused, and the venue goes on', async () => {
  venue = await stepped();
  const socket = new WebSocket(venue.wsUrl.replace(/ws$/, '/'));
  await new Promise((resolve) => socket.once('error', resolve));
  expect(await post(`${venue.restUrl}//`, {})).toMatchObject({ status: 404 });
  expect(await post(`${venue.restUrl}/info`, { type: 'meta' })).toMatchObject({ status: 200 });
});

test('what is asked wrongly is answered in words, and the connection goes on', async () => {
  venue = await stepped();
  const { texts, socket } = await connect(venue, EVERYTHING[0] ?? {});
  for (const text of [
    'nonsense',
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}',
    '{"method":"subscribe","subscription":{"type":"l2Book","coin":"SIM"}}',
    '{"method":"ping"}',
    '{"method":"unsubscribe","subscription":{"type":"l2Book","coin":"SIM"}}',
  ]) {
    socket.send(text);
  }
  while (texts.length < 6) await new Promise((resolve) => socket.once('message', resolve));
  expect(texts.slice(-5).map((text) => (JSON.parse(text) as { channel: string }).channel)).toEqual([
    'error',
    'error',
    'error',
    'pong',
    'subscriptionResponse',
  ]);
  venue.advanceTo(START_MS + 5_000);
  await venue.flushed();
  expect(texts).toHaveLength(6);
  socket.terminate();
});
