import fc from 'fast-check';
import { StreamEnded, type StreamMessages } from '../src';
import { createEventParser } from '../src/streams/follow';
import { clientWith, json, problem, type Sent } from './fake-fetch';

type Packet = StreamMessages['streamPackets'];

const event = (kind: string, data: unknown, id = ''): string =>
  `${id === '' ? '' : `id: ${id}\n`}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
const packet = (at: number): string => event('packet', { event_id: `evt_${at}` }, `0-${at}-0`);
const end = (code: string, at: number): string => event('end', { code, resume_id: `0-${at}-0` });

/** An answer of these events; then it is cut, closed, or stays open and silent. */
function stream(events: readonly string[], then: 'cut' | 'close' | 'silence' = 'close') {
  return (_sent: Sent, signal: AbortSignal): Response => {
    const left = events.map((text) => new TextEncoder().encode(text));
    return new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
        pull(controller) {
          const next = left.shift();
          if (next !== undefined) return controller.enqueue(next);
          if (then === 'close') controller.close();
          if (then === 'cut') controller.error(new TypeError('terminated'));
          return undefined;
        },
      }),
    );
  };
}

async function all<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const had: T[] = [];
  for await (const message of messages) had.push(message);
  return had;
}

const shortOf = (message: Packet): string => ('id' in message ? message.id : message.type);
const afterIds = (sent: readonly Sent[]): (string | null)[] => sent.map(({ headers }) => headers.get('last-event-id'));

test('goes on after the last message had, through cuts and ends that pass, and drops what comes twice', async () => {
  const { ms, sent } = clientWith([
    stream([packet(1), packet(2)], 'cut'),
    new TypeError('fetch failed'),
    problem(503, 'overloaded'),
    stream([packet(2), packet(3), event('heartbeat', {}, '0-4-0')], 'close'),
    stream([packet(5), 'id: 0-6-0\nevent: packet\ndata: {"a\n\n']),
    stream([end('service_stopping', 5)]),
    stream([packet(6), end('key_revoked', 6)]),
  ]);
  const messages = await all(ms.stream.packets());
  expect(messages.map(shortOf)).toEqual(['0-1-0', '0-2-0', '0-3-0', '0-5-0', '0-6-0', 'end']);
  expect(messages.at(-1)).toEqual({ type: 'end', code: 'key_revoked', resumeId: '0-6-0' });
  expect(afterIds(sent)).toEqual([null, '0-2-0', '0-2-0', '0-2-0', '0-4-0', '0-5-0', '0-5-0']);
});

test('reports when a connection opens, and the wait after each lost or refused one', async () => {
  const reported: string[] = [];
  const { ms } = clientWith([stream([packet(1)], 'cut'), problem(503, 'overloaded', { 'retry-after': '1' }), stream([end('complete', 1)])]);
  await all(
    ms.stream.packets({}, { onConnection: (standing) => reported.push(standing.state === 'open' ? 'open' : `${standing.waitMs} ms`) }),
  );
  expect(reported).toEqual(['open', expect.stringMatching(/^\d+(\.\d+)? ms$/), '1000 ms', 'open']);
});

test('opens a silent connection again', async () => {
  const { ms, sent } = clientWith([stream([packet(1)], 'silence'), stream([packet(2), end('complete', 2)])]);
  const messages = await all(ms.stream.packets({ resumeFrom: '0-0-0' }, { silenceMs: 20 }));
  expect(messages.map(shortOf)).toEqual(['0-1-0', '0-2-0', 'end']);
  expect(afterIds(sent)).toEqual(['0-0-0', '0-1-0']);
});

test('stops before the first message of a hundred that is not paid for, over all connections', async () => {
  const hundred = (from: number, total: number): string[] => Array.from({ length: total }, (_none, at) => packet(from + at));
  const { ms, sent } = clientWith([stream(hundred(1, 150), 'cut'), stream(hundred(151, 150))]);
  const messages = await all(ms.stream.packets({}, { maxCredits: 3 }));
  expect(messages).toHaveLength(150 + 100 + 1);
  expect(messages.at(-1)).toEqual({ type: 'end', code: 'credits_exhausted', resumeId: '0-250-0' });
  expect(sent.map(({ headers }) => headers.get('x-max-credits'))).toEqual(['3', '1']);
});

test('counts what a stream has cost in the budget of its client', async () => {
  const small = clientWith([stream([packet(1), end('complete', 1)])]).ms.withBudget(10);
  const messages = small.stream.packets();
  await messages.next();
  expect(small.budgetLeft).toBe(0);
  await all(messages);
  expect(small.budgetLeft).toBe(9);
});

test('reports messages past retention, backfills them from stored packets, then continues', async () => {
  const stored = { packets: [{ event_id: 'evt_7' }, { event_id: 'evt_8' }, { event_id: 'evt_9' }], next_cursor: null };
  const oldest = '2026-01-01T00:00:00.000Z';
  const { ms, sent } = clientWith([
    problem(410, 'beyond_retention', {}, { oldest_available_utc: oldest }),
    stream([packet(9), packet(10), end('complete', 10)]),
    json(stored),
  ]);
  const messages = await all(ms.stream.packets({ resumeFrom: '0-1-0' }));
  expect(messages.map(({ type }) => type)).toEqual(['hole', 'backfill', 'backfill', 'packet', 'packet', 'end']);
  expect(messages[0]).toEqual({ type: 'hole', symbol: 'BTCUSD-PERP', afterId: '0-1-0', oldestUtc: oldest });
  expect(afterIds(sent)).toEqual(['0-1-0', null, null]);
});

test('reports the position where it broke if it cannot reconnect', async () => {
  const revoked = clientWith([stream([packet(1)], 'cut'), problem(401, 'unauthenticated')]);
  const thrown = await all(revoked.ms.stream.packets()).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(StreamEnded);
  expect(thrown).toMatchObject({ code: 'unauthenticated', resumeId: '0-1-0', cause: { status: 401 } });
  const lost = clientWith([stream([packet(1)], 'cut'), new TypeError('fetch failed')]);
  await expect(all(lost.ms.stream.packets())).rejects.toMatchObject({ code: 'connection_lost', resumeId: '0-1-0' });
  await expect(all(clientWith([problem(422)]).ms.stream.packets())).rejects.toMatchObject({ name: 'InvalidError' });
});

test('follows several symbols over one connection, each message with its symbol, and resumes all of them by one id', async () => {
  const of = (symbol: string, at: number, id: string): string => event('packet', { symbol, event_id: `evt_${symbol}_${at}` }, id);
  const { ms, sent } = clientWith([
    stream([of('A', 1, 'A1'), of('B', 1, 'A1.B1'), event('skipped', { symbol: 'B', row_total: 1 })], 'cut'),
    stream([of('A', 2, 'A2.B1'), end('complete', 2)]),
  ]);
  const messages = await all(ms.stream.packets({ symbols: ['A', 'B', 'A'], resumeFrom: 'A0' }));
  expect(messages.map((message) => [message.type, 'symbol' in message ? message.symbol : null])).toEqual([
    ['packet', 'A'],
    ['packet', 'B'],
    ['skipped', 'B'],
    ['packet', 'A'],
    ['end', null],
  ]);
  expect(sent.map(({ url, headers }) => [url.searchParams.get('symbol'), headers.get('last-event-id')])).toEqual([
    ['A,B', 'A0'],
    ['A,B', 'A1.B1'],
  ]);
});

test('continues with the retained symbols, and backfills the one past retention', async () => {
  const of = (symbol: string, at: number, id: string): string => event('packet', { symbol, event_id: `evt_${symbol}_${at}` }, id);
  const oldest = '2026-01-01T00:00:00.000Z';
  const { ms, sent } = clientWith([
    problem(410, 'beyond_retention', {}, { gone: [{ symbol: 'A', oldest_available_utc: oldest }], resume_id: 'B1' }),
    stream([of('B', 2, 'A8.B2'), of('A', 9, 'A9.B2'), end('complete', 9)]),
    json({ packets: [{ event_id: 'evt_A_8' }, { event_id: 'evt_A_9' }], next_cursor: null }),
  ]);
  const messages = await all(ms.stream.packets({ symbols: ['A', 'B'], resumeFrom: 'A1.B1' }));
  expect(messages.map((message) => [message.type, 'symbol' in message ? message.symbol : null])).toEqual([
    ['hole', 'A'],
    ['packet', 'B'],
    ['backfill', 'A'],
    ['packet', 'A'],
    ['end', null],
  ]);
  expect(messages[0]).toEqual({ type: 'hole', symbol: 'A', afterId: 'A1.B1', oldestUtc: oldest });
  expect(afterIds(sent)).toEqual(['A1.B1', 'B1', null]);
  expect(sent[2]?.url.searchParams.get('symbol')).toBe('A');
});

test('backfills missing rows with the hour before the first received row, conflated or not', async () => {
  const row = (sequence: number) => ({
    channel: 'trades',
    epoch: 1,
    sequence,
    exchange_time_utc: '2026-01-01T02:00:00.000Z',
    row: { symbol: 'A' },
  });
  for (const first of [event('row', row(9), '1-9-0'), event('conflated', { symbol: 'A', conflated_total: 0, rows: [row(9)] }, '1-9-0')]) {
    const { ms, sent } = clientWith([
      problem(410, 'beyond_retention'),
      stream([first, end('complete', 9)]),
      json({ rows: [row(7), row(8), row(9), row(10)], next_cursor: null }),
    ]);
    const messages = await all(ms.stream.data({ symbols: 'A', channels: ['trades'], conflateMs: 500, resumeFrom: '1-1-0' }));
    expect(messages.map((message) => (message.type === 'backfill' ? message.data.sequence : message.type))).toEqual([
      'hole',
      7,
      8,
      first.includes('conflated') ? 'conflated' : 'row',
      'end',
    ]);
    expect(Object.fromEntries(sent[2]?.url.searchParams ?? [])).toMatchObject({
      symbol: 'A',
      channels: 'trades',
      start: String(Date.parse('2026-01-01T01:00:01.000Z')),
      end: String(Date.parse('2026-01-01T02:00:01.000Z')),
    });
    expect(sent[0]?.url.searchParams.get('conflate_ms')).toBe('500');
  }
});

test('continues if a backfill fails', async () => {
  const { ms } = clientWith([problem(410, 'beyond_retention'), stream([packet(9), end('complete', 9)]), problem(402, 'quote_exceeded')]);
  expect((await all(ms.stream.packets({ resumeFrom: '0-1-0' }))).map(shortOf)).toEqual(['hole', '0-9-0', 'end']);
});

test('ends with the reason of its signal', async () => {
  const { ms } = clientWith([stream([packet(1)], 'silence')]);
  const stop = new AbortController();
  const reason = new Error('enough');
  const messages = ms.stream.packets({}, { signal: stop.signal });
  expect((await messages.next()).value).toMatchObject({ type: 'packet' });
  const waiting = messages.next();
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test('reads the same events however their text is cut', () => {
  const text = ': comment\nretry: 1000\n\nid: 1\nevent: row\ndata: {"a":\ndata: 1}\n\r\ndata:bare\r\n\r\nid: 3\revent: gap\rdata: x\r\r';
  const events = [
    { event: 'row', id: '1', data: '{"a":\n1}' },
    { event: 'message', id: '', data: 'bare' },
    { event: 'gap', id: '3', data: 'x' },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const parse = createEventParser();
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      const read = places.slice(1).flatMap((place, at) => parse(text.slice(places[at], place)));
      // The last line may still be the first half of one.
      expect([...read, ...parse('\n')]).toEqual(events);
    }),
  );
});
