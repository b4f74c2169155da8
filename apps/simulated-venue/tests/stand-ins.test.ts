import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { silentLogger } from '@market-state/logging';
import { withRecordings } from '@market-state/testing';
import WebSocket from 'ws';
import { STAND_IN_PROTOCOLS, type StandIn, type StandInProtocol, startStandIn } from '../src/index';

const START_MS = 1_767_571_200_000;

const SUBSCRIPTIONS: Readonly<Record<StandInProtocol, readonly [path: string, request: object]>> = {
  bybit: [
    '/v5/public/linear',
    {
      op: 'subscribe',
      req_id: '1',
      args: ['orderbook.200', 'publicTrade', 'tickers', 'allLiquidation'].map((topic) => `${topic}.SIMUSDT`),
    },
  ],
  'bybit-inverse': ['/v5/public/inverse', { op: 'subscribe', req_id: '1', args: ['orderbook.200.SIMUSD'] }],
  okx: ['/ws/v5/public', { op: 'subscribe', args: [{ channel: 'books', instId: 'SIM-USDT-SWAP' }] }],
  kraken: ['/ws/v1', { event: 'subscribe', feed: 'book', product_ids: ['PF_SIMUSD'] }],
};

const open: StandIn[] = [];
afterEach(async () => {
  for (const venue of open.splice(0)) await venue.close();
});

/** Frames of some seconds after a subscription. */
async function framesOf(protocol: StandInProtocol, seconds: number): Promise<readonly Record<string, unknown>[]> {
  const venue = await startStandIn({ protocol, address: '127.0.0.1:0', seed: 5, logger: silentLogger(), startMs: START_MS });
  open.push(venue);
  venue.advanceTo(START_MS + 10_000);
  const [path, request] = SUBSCRIPTIONS[protocol];
  const socket = new WebSocket(`ws://${venue.address}${path}`);
  const frames: Record<string, unknown>[] = [];
  socket.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString()) as Record<string, unknown>));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify(request));
  await venue.flushed();
  venue.advanceTo(START_MS + 10_000 + seconds * 1_000);
  await venue.flushed();
  socket.terminate();
  return frames;
}

const numbersOf: Readonly<
  Record<StandInProtocol, (frame: Record<string, unknown>) => readonly [before: number | undefined, number] | undefined>
> = {
  bybit: bybitNumbers,
  'bybit-inverse': bybitNumbers,
  okx({ action, data }) {
    const [row] = (data ?? []) as { seqId: number; prevSeqId: number }[];
    return row === undefined ? undefined : [action === 'snapshot' ? undefined : row.prevSeqId, row.seqId];
  },
  kraken: ({ feed, seq }) => (typeof seq === 'number' ? [feed === 'book_snapshot' ? undefined : seq - 1, seq] : undefined),
};

function bybitNumbers({ type, topic, data }: Record<string, unknown>): readonly [number | undefined, number] | undefined {
  if (typeof topic !== 'string' || !topic.startsWith('orderbook')) return undefined;
  const { u } = data as { u: number };
  return [type === 'snapshot' ? undefined : u - 1, u];
}

test.each(STAND_IN_PROTOCOLS)(
  '%s: acknowledges, sends a whole book, then changes of which each follows the one before',
  async (protocol) => {
    const frames = await framesOf(protocol, 20);
    const numbers = frames.flatMap((frame) => {
      const found = numbersOf[protocol](frame);
      return found === undefined ? [] : [found];
    });
    expect(numbers[0]?.[0]).toBeUndefined();
    expect(numbers.length).toBeGreaterThan(40);
    for (const [index, [before]] of numbers.entries()) if (index > 0) expect(before).toBe(numbers[index - 1]?.[1]);
  },
);

test.each(STAND_IN_PROTOCOLS)('%s: a seed makes the same frames again', async (protocol) => {
  expect(await framesOf(protocol, 5)).toEqual(await framesOf(protocol, 5));
});

test.each(STAND_IN_PROTOCOLS)('%s: answers requests that it cannot read, and goes on', async (protocol) => {
  const venue = await startStandIn({ protocol, address: '127.0.0.1:0', seed: 5, logger: silentLogger(), startMs: START_MS });
  open.push(venue);
  const [path] = SUBSCRIPTIONS[protocol];
  const refused = new WebSocket(`ws://${venue.address}//`);
  await new Promise((resolve) => refused.once('error', resolve));
  expect((await fetch(`${venue.restUrl}//`)).status).toBe(404);
  const socket = new WebSocket(`ws://${venue.address}${path}`);
  const texts: string[] = [];
  socket.on('message', (data: Buffer) => texts.push(data.toString()));
  await new Promise((resolve) => socket.once('open', resolve));
  const wrong = ['{"op":', 'null', '5', '{"op":"subscribe","args":5}', '{"event":"subscribe","feed":"book","product_ids":{}}'];
  for (const text of wrong) socket.send(text);
  while (texts.length < wrong.length) await new Promise((resolve) => socket.once('message', resolve));
  for (const text of texts) expect(text).toMatch(/"event":"error"|"success":false/);
  socket.terminate();
});

test('/control takes only a fault that exists, as JSON, and names every error of it', async () => {
  const venue = await startStandIn({ protocol: 'kraken', address: '127.0.0.1:0', seed: 1, logger: silentLogger(), startMs: START_MS });
  open.push(venue);
  const post = (body: string, type = 'application/json') =>
    fetch(`${venue.restUrl}/control`, { method: 'POST', headers: { 'content-type': type }, body });
  expect((await post('{"fault":"disconnect","duration_ms":1000}')).status).toBe(202);
  const wrong = await post('{"fault":"drop","channel":"all","share":2,"duration_ms":1}');
  expect([wrong.status, await wrong.json()]).toMatchObject([422, { faults: [{ field: 'share' }, { field: 'duration_ms' }] }]);
  expect((await post('{"fault":"disconnect","duration_ms":1000}', 'text/plain')).status).toBe(415);
  expect((await fetch(`${venue.restUrl}/derivatives/api/v3/instruments`)).status).toBe(503);
});

withRecordings('bybit', (folder) => {
  type Shape = Map<string, Set<string>>;

  function shapesOf(frames: readonly Record<string, unknown>[]): Map<string, Shape> {
    const shapes = new Map<string, Shape>();
    for (const { topic, type, data, ...envelope } of frames) {
      if (typeof topic !== 'string') continue;
      const kind = `${topic.split('.')[0]} ${String(type)}`;
      const shape = shapes.get(kind) ?? new Map<string, Set<string>>();
      shapes.set(kind, shape);
      const rows = (Array.isArray(data) ? data : [data]) as Record<string, unknown>[];
      for (const row of [envelope, ...rows])
        for (const [name, value] of Object.entries(row))
          shape.set(name, (shape.get(name) ?? new Set()).add(Array.isArray(value) ? 'list' : typeof value));
    }
    return shapes;
  }

  test('bybit: every field of the stand-in is one of the recorded venue’s, of the same type', async () => {
    const recorded = gunzipSync(readFileSync(join(folder, 'BYBIT.linear.BTCUSDT-DOGEUSDT.jsonl.gz')))
      .toString()
      .trimEnd()
      .split('\n');
    const real = shapesOf(
      recorded
        .map((line) => JSON.parse(line) as { t: string; data: string })
        .flatMap(({ t, data }) => (t === 'recv' ? [JSON.parse(data) as Record<string, unknown>] : [])),
    );
    const own = shapesOf(await framesOf('bybit', 20));
    expect([...own.keys()]).toEqual(
      expect.arrayContaining(['orderbook snapshot', 'orderbook delta', 'publicTrade snapshot', 'tickers snapshot', 'tickers delta']),
    );
    for (const [kind, shape] of own) {
      if (kind.startsWith('allLiquidation')) continue;
      // A change of a ticker may carry any field of a whole one.
      const known = real.get(kind.replace('tickers delta', 'tickers snapshot'));
      for (const [name, types] of shape) expect([kind, name, [...(known?.get(name) ?? [])]]).toEqual([kind, name, [...types]]);
    }
  });
});
