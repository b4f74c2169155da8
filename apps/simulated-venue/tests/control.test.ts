import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import WebSocket from 'ws';
import type { SimulatedVenue } from '../src/index';
import { type Client, connect, EVERYTHING, post, START_MS, stepped } from './client';

let venue: SimulatedVenue;
let client: Client;
let nowMs: number;

beforeEach(async () => {
  venue = await stepped();
  venue.advanceTo((nowMs = START_MS + 10_000));
  client = await connect(venue, ...EVERYTHING);
});
afterEach(async () => {
  client.socket.terminate();
  await venue.close();
});

const control = (body: unknown): Promise<{ status: number; body: unknown }> => post(`${venue.restUrl}/control`, body);

/** Advances the venue and returns the frames received by the client. */
async function after(durationMs: number): Promise<string[]> {
  client.texts.length = 0;
  venue.advanceTo((nowMs += durationMs));
  await venue.flushed();
  return client.texts;
}

const channelsOf = (texts: readonly string[]): Set<string> =>
  new Set(texts.map((text) => (JSON.parse(text) as { channel: string }).channel));

test('gap: frames of the channel are left out for as long as was asked, and no longer', async () => {
  expect(await control({ fault: 'gap', channel: 'book', duration_ms: 5_000 })).toEqual({
    status: 202,
    body: { fault: 'gap', channel: 'book', duration_ms: 5_000, until_ms: nowMs + 5_000 },
  });
  expect(channelsOf(await after(5_000))).toEqual(new Set(['bbo', 'trades', 'activeAssetCtx', 'candle']));
  expect(channelsOf(await after(5_000))).toContain('l2Book');
  await control({ fault: 'gap', channel: 'trade', duration_ms: 5_000 });
  expect(channelsOf(await after(5_000))).not.toContain('trades');
  await control({ fault: 'gap', channel: 'all', duration_ms: 5_000 });
  expect(await after(5_000)).toEqual([]);
});

test('duplicate: every frame twice', async () => {
  await control({ fault: 'duplicate', share: 1, duration_ms: 2_000 });
  const texts = await after(2_000);
  expect(texts.length).toBeGreaterThan(20);
  expect(texts.filter((_, index) => index % 2 === 0)).toEqual(texts.filter((_, index) => index % 2 === 1));
});

test('reorder: the same frames in another order', async () => {
  await control({ fault: 'reorder', span: 10, duration_ms: 5_000 });
  await after(5_500);
  const times = client.frames('l2Book').map(({ data }) => data.time);
  expect(times).not.toEqual([...times].sort((a, b) => a - b));
  const ids = client.frames('trades').flatMap(({ data }) => data.map(({ tid }) => tid));
  expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: ids.length }, (_, index) => Math.min(...ids) + index));
});

test('crossed: every book of the span, and none after', async () => {
  const crossings = (): boolean[] =>
    client.frames('l2Book').map(({ data: { levels } }) => Number(levels[0]?.[0]?.px) > Number(levels[1]?.[0]?.px));
  await control({ fault: 'crossed', duration_ms: 2_000 });
  await after(2_000);
  expect(crossings()).toEqual(Array(12).fill(true));
  await after(2_000);
  expect(crossings()).toEqual(Array(12).fill(false));
});

test('wrong_price: books, or trades, are off by so many ticks, and the info route returns the true prices', async () => {
  const info = (body: object) => post(`${venue.restUrl}/info`, { coin: 'SIM', ...body });
  await control({ fault: 'wrong_price', channel: 'book', ticks: -2, duration_ms: 2_000 });
  await after(2_000);
  /** Distance of the last push's best prices from the REST response, in ticks. */
  async function bestOff(): Promise<number[]> {
    const pushed = client.frames('l2Book').at(-1)?.data;
    const reported = (await info({ type: 'l2Book' })).body as typeof pushed;
    expect(pushed?.time).toBe(reported?.time);
    return [0, 1].map((side) => Math.round((Number(pushed?.levels[side]?.[0]?.px) - Number(reported?.levels[side]?.[0]?.px)) * 10));
  }
  expect(await bestOff()).toEqual([-2, -2]);

  await after(1_000);
  await control({ fault: 'wrong_price', channel: 'trade', ticks: 3, duration_ms: 2_000 });
  await after(2_000);
  const reported = client.frames('trades').flatMap(({ data }) => data);
  const recent = (await info({ type: 'recentTrades' })).body as typeof reported;
  const apart = reported.map(({ tid, px }) => Math.round((Number(px) - Number(recent.find((row) => row.tid === tid)?.px)) * 10));
  expect(new Set(apart)).toEqual(new Set([3]));
  await after(2_000);
  expect(await bestOff()).toEqual([0, 0]);
});

test('late_funding: contexts keep the rate from before it, and carry the newest once it is over', async () => {
  await control({ fault: 'late_funding', duration_ms: 60_000 });
  await after(60_000);
  const rates = client.frames('activeAssetCtx').map(({ data }) => data.ctx.funding);
  expect(rates.length).toBeGreaterThan(10);
  expect(new Set(rates).size).toBe(1);
  const [, [now]] = (await post(`${venue.restUrl}/info`, { type: 'metaAndAssetCtxs' })).body as [object, [{ funding: string }]];
  expect(now.funding).not.toBe(rates[0]);
  await after(6_000);
  expect(client.frames('activeAssetCtx').at(-1)?.data.ctx.funding).not.toBe(rates[0]);
});

test('stall: nothing, then everything', async () => {
  await control({ fault: 'stall', duration_ms: 3_000 });
  expect(await after(2_750)).toEqual([]);
  await after(250);
  expect(client.frames('l2Book')).toHaveLength(18);
});

test('disconnect: connections end and none opens until it is over; the info route is away too', async () => {
  const closed = once(client.socket, 'close');
  await control({ fault: 'disconnect', duration_ms: 2_000 });
  await closed;
  const refused = new WebSocket(venue.wsUrl);
  const [error] = (await once(refused, 'error')) as [Error];
  expect(error.message).toContain('503');
  expect((await post(`${venue.restUrl}/info`, { type: 'meta' })).status).toBe(503);
  venue.advanceTo(nowMs + 2_000);
  client = await connect(venue, ...EVERYTHING);
  expect(client.frames('l2Book')).toHaveLength(2);
});

test('garbage: as many frames as were asked for', async () => {
  await control({ fault: 'garbage', count: 12 });
  const usual = /^\{"channel":"(l2Book|bbo|trades|activeAssetCtx|candle)","data".*\}$/;
  const texts = await after(250);
  expect(texts.filter((text) => !usual.test(text)).length).toBeGreaterThanOrEqual(5);
  expect(texts.some((text) => text.length > 1_048_576)).toBe(true);
});

test('clock skew: times of frames are off by what was asked', async () => {
  await control({ fault: 'clock_skew', offset_ms: 3_000, duration_ms: 1_000 });
  await after(1_000);
  const times = client.frames('l2Book').map(({ data }) => data.time);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(nowMs - 1_000 + 3_000);
});

test('a command that is wrong is refused with every fault of it', async () => {
  expect(await control({ fault: 'gap', channel: 'books', duration_ms: 1, why: 'not' })).toEqual({
    status: 422,
    body: {
      faults: [
        { field: 'channel', message: expect.any(String) as string },
        { field: 'duration_ms', message: expect.any(String) as string },
        { field: 'body', message: expect.stringContaining('why') as string },
      ],
    },
  });
  expect(await control({ fault: 'explode' })).toMatchObject({ status: 422, body: { faults: [{ field: 'fault' }] } });
  expect(await after(1_000)).not.toEqual([]);
});

test('no web page sends a command: another content type, and a name that leads here, are refused', async () => {
  const command = { fault: 'disconnect', duration_ms: 2_000 };
  for (const type of ['text/plain', 'text/plain;application/json', 'application/x-www-form-urlencoded', 'application/jsonp'])
    expect([type, (await post(`${venue.restUrl}/control`, command, type)).status]).toEqual([type, 415]);
  const statusFor = async (host: string): Promise<number | undefined> => {
    const sent = request(`${venue.restUrl}/control`, { method: 'POST', headers: { host, 'content-type': 'application/json' } });
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
    sent.end(JSON.stringify(command));
    const [response] = await answered;
    response.resume();
    return response.statusCode;
  };
  expect(await statusFor(`evil.example:${new URL(venue.restUrl).port}`)).toBe(421);
  const refused = new WebSocket(venue.wsUrl, { headers: { host: 'evil.example' } });
  await once(refused, 'error');
  expect(await after(1_000)).not.toEqual([]);
  expect((await post(`${venue.restUrl}/control`, command, 'application/json; charset=utf-8')).status).toBe(202);
});

test('silent: nothing of the channel is pushed, not even what a subscription begins with, while pings are answered', async () => {
  await control({ fault: 'silent', channel: 'trade', duration_ms: 8_000 });
  expect(channelsOf(await after(5_000))).toEqual(new Set(['l2Book', 'bbo', 'activeAssetCtx', 'candle']));
  const later = await connect(venue, { type: 'trades', coin: 'SIM' });
  later.socket.send('{"method":"ping"}');
  await venue.flushed();
  expect(channelsOf(later.texts)).toEqual(new Set(['subscriptionResponse', 'pong']));
  later.socket.terminate();
  expect(channelsOf(await after(5_000))).toContain('trades');
});

test('delisted: the coin leaves the metadata, no data for it is sent, and subscriptions are rejected by name', async () => {
  await control({ fault: 'delisted', duration_ms: 5_000 });
  expect(await after(2_000)).toEqual([]);
  expect((await post(`${venue.restUrl}/info`, { type: 'metaAndAssetCtxs' })).body).toEqual([{ universe: [] }, []]);
  client.socket.send(JSON.stringify({ method: 'subscribe', subscription: { type: 'trades', coin: 'SIM' } }));
  await venue.flushed();
  expect(client.texts).toEqual(['{"channel":"error","data":"Invalid subscription {\\"type\\":\\"trades\\",\\"coin\\":\\"SIM\\"}"}']);
  expect(channelsOf(await after(5_000))).toContain('l2Book');
  expect((await post(`${venue.restUrl}/info`, { type: 'meta' })).body).toMatchObject({ universe: [{ name: 'SIM' }] });
});
