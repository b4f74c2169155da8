import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { silentLogger } from '@market-state/logging';
import { instrumentRows, liveVenueOf } from '@market-state/market-data';
import type { MessageBatch, RawMessage, VenueConnection, VenueSource } from '@market-state/venues';
import { createInbox, type InboxItem, type Inbox, keepConnection, type VenueMetrics } from './venue-connections';
import { createManualClock } from '../../../tests/manual-clock';

const ITEMS_MAX = 10_000;
const item: InboxItem = { type: 'overflow', atMs: 1 };

async function filledInbox(signal: AbortSignal) {
  const inbox = createInbox();
  for (let count = 0; count < ITEMS_MAX; count += 1) await inbox.put(item, signal);
  return inbox;
}

test('a reader that looks again and again at an empty inbox leaves nothing behind, and is woken by what comes', async () => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const inbox = createInbox();
  const looked = Array.from({ length: 100 }, () => new WeakRef(inbox.filled()));
  const filled = inbox.filled();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(looked.filter((promise) => promise.deref() !== undefined)).toEqual([]);
  await inbox.put(item, new AbortController().signal);
  await filled;
  expect(inbox.take()).toEqual([item]);
});

test('what does not fit waits until something is taken, and then leaves nothing on the signal', async () => {
  const { signal } = new AbortController();
  const inbox = await filledInbox(signal);
  let isIn = false;
  const putting = inbox.put(item, signal).then(() => (isIn = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect([isIn, inbox.size, getEventListeners(signal, 'abort').length]).toEqual([false, ITEMS_MAX, 1]);
  expect(inbox.take()).toHaveLength(ITEMS_MAX);
  await putting;
  expect([inbox.size, getEventListeners(signal, 'abort').length]).toEqual([1, 0]);
});

test('a writer that waits for space is released when the feed stops', async () => {
  const stop = new AbortController();
  const inbox = await filledInbox(stop.signal);
  const putting = inbox.put(item, stop.signal);
  stop.abort();
  await expect(putting).resolves.toBeUndefined();
});

const nowMs = 1_700_000_000_000;
const rows = instrumentRows.filter(({ feed, symbol }) => feed === 'hyperliquid' && ['BTCUSD-PERP', 'ETHUSD-PERP'].includes(symbol));

function message(text: string, receivedMs = nowMs): RawMessage {
  return { receivedMs, receivedNs: `${receivedMs}000000`, text };
}

/** Its only connection delivers these batches and then waits to be closed. */
function sourceOf(batches: readonly MessageBatch[], done: () => void): VenueSource {
  return {
    async connect(signal) {
      const connection: VenueConnection = {
        subscribe: async () => new Map(),
        resubscribe: async () => undefined,
        abandon: () => undefined,
        requestSnapshot: async () => undefined,
        catchUp: async () => undefined,
        counts: { received: 0, oversizedFrames: 2, collapsedBooks: 3 },
        close: () => undefined,
        async *messages() {
          yield* batches;
          done();
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      };
      return connection;
    },
  };
}

async function routed(
  batches: readonly MessageBatch[],
): Promise<{ readonly inboxes: ReadonlyMap<string, Inbox>; readonly letGo: Record<string, number> }> {
  const stop = new AbortController();
  const inboxes = new Map(rows.map(({ venueInstrument }) => [venueInstrument, createInbox()]));
  const letGo: Record<string, number> = {};
  const metrics: VenueMetrics = {
    connected: () => undefined,
    received: () => undefined,
    queued: () => undefined,
    letGo: (_venue, reason, count) => (letGo[reason] = (letGo[reason] ?? 0) + count),
  };
  const clock = createManualClock(nowMs);
  await new Promise<void>((done) => {
    const source = sourceOf(batches, done);
    void keepConnection(
      { name: 'hyperliquid', source, rows, namesOf: liveVenueOf('hyperliquid').namesOf },
      { clock, logger: silentLogger(), metrics, inboxes },
      stop.signal,
    );
  });
  stop.abort();
  return { inboxes, letGo };
}

const typesOf = (inbox: Inbox | undefined): string[] =>
  inbox?.take().map((item) => (item.type === 'line' ? item.line.slice(20) : item.type)) ?? [];

it('hands a line to the symbol that it names, an answer that names none to all, and other words to one that counts them', async () => {
  const [btc, candle, universe, garbage] = [
    '{"channel":"trades","data":[{"coin":"BTC"}]}',
    '{"channel":"candle","data":{"t":1,"T":2,"s":"ETH","i":"1m"}}',
    '[{"universe":[]},[]]',
    '{',
  ];
  const { inboxes } = await routed([{ messages: [message(btc), message(candle), message(universe), message(garbage)] }]);
  expect(typesOf(inboxes.get('BTC'))).toEqual(['connected', btc, universe, garbage]);
  expect(typesOf(inboxes.get('ETH'))).toEqual(['connected', candle, universe]);
});

it('reports an overflow to the symbol whose books were dropped, ahead of what came after, and counts what was not read', async () => {
  const text = '{"channel":"l2Book","data":{"coin":"ETH"}}';
  const { inboxes, letGo } = await routed([{ overflow: { collapsedBooks: { ETH: 3 } }, messages: [message(text)] }]);
  expect(typesOf(inboxes.get('ETH'))).toEqual(['connected', 'overflow', text]);
  expect(typesOf(inboxes.get('BTC'))).toEqual(['connected']);
  expect(letGo).toEqual({ oversized_frame: 2, overflow: 3 });
});

it('reports an unread frame to every symbol of the connection, ahead of what came after', async () => {
  const text = '{"channel":"l2Book","data":{"coin":"ETH"}}';
  const { inboxes } = await routed([
    { messages: [message(text)] },
    { refusedFrameMs: nowMs, messages: [message(text)] },
    { refusedFrameMs: nowMs, messages: [] },
  ]);
  expect(typesOf(inboxes.get('ETH'))).toEqual(['connected', text, 'frame_refused', text, 'frame_refused']);
  expect(typesOf(inboxes.get('BTC'))).toEqual(['connected', 'frame_refused', 'frame_refused']);
});

it('takes no receive time that is ahead of the feed clock', async () => {
  const { inboxes } = await routed([{ messages: [message('{"coin":"BTC"}', nowMs + 3_600_000), message('{"coin":"BTC"}', nowMs - 5)] }]);
  expect(
    inboxes
      .get('BTC')
      ?.take()
      .map(({ atMs }) => atMs - nowMs),
  ).toEqual([0, 0, -5]);
});

it('a connection that ends by a local fault is lost for every symbol', async () => {
  const stop = new AbortController();
  const inboxes = new Map(rows.map(({ venueInstrument }) => [venueInstrument, createInbox()]));
  const source = sourceOf([], () => {
    throw new Error('a local fault');
  });
  await new Promise<void>((lost) => {
    const metrics: VenueMetrics = {
      connected: (_venue, isConnected) => void (isConnected || lost()),
      received: () => undefined,
      queued: () => undefined,
      letGo: () => undefined,
    };
    void keepConnection(
      { name: 'hyperliquid', source, rows, namesOf: liveVenueOf('hyperliquid').namesOf },
      { clock: createManualClock(nowMs), logger: silentLogger(), metrics, inboxes },
      stop.signal,
    );
  });
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  for (const name of ['BTC', 'ETH']) expect(typesOf(inboxes.get(name))).toEqual(['connected', 'disconnected']);
});

it('an inbox that nobody reads drops its messages, and keeps what became of the connection', async () => {
  const inbox = createInbox();
  const { signal } = new AbortController();
  await inbox.put({ type: 'disconnected', atMs: 0, reason: 'closed' }, signal);
  for (let index = 1; index < 10_000; index++) await inbox.put({ type: 'line', atMs: index, line: '' }, signal);
  await inbox.put({ type: 'line', atMs: 10_000, line: 'newest' }, signal);
  expect(inbox.take()).toEqual([
    { type: 'disconnected', atMs: 0, reason: 'closed' },
    { type: 'frame_refused', atMs: 10_000 },
    { type: 'line', atMs: 10_000, line: 'newest' },
  ]);
});

it('an inbox that is full makes its writer wait, and drops nothing that its reader takes', async () => {
  const inbox = createInbox();
  const { signal } = new AbortController();
  for (let index = 0; index < 10_000; index++) await inbox.put({ type: 'overflow', atMs: index }, signal);
  let isIn = false;
  const waiting = inbox.put({ type: 'overflow', atMs: 10_000 }, signal).then(() => (isIn = true));
  await Promise.resolve();
  expect(isIn).toBe(false);
  expect(inbox.take()).toHaveLength(10_000);
  await waiting;
  expect(inbox.take()).toEqual([{ type: 'overflow', atMs: 10_000 }]);
});
