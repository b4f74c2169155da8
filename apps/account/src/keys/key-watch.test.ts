import { createKeyWatch, WATCH_BUFFER_MAX, type WatchMessage, createBeat } from './key-watch';
import type { KeyChange } from './key';

const ended: KeyChange = { keyId: 'ended', digest: new Uint8Array(32) };

function setUp() {
  const clock = { nowMs: 1_000 };
  const watch = createKeyWatch();
  watch.begin();
  const spans: [number, number][] = [];
  const faults = { catchUp: false, findExpired: false };
  const beat = createBeat({
    watch,
    clock: () => clock.nowMs,
    catchUp: () => (faults.catchUp ? Promise.reject(new Error('not listening')) : Promise.resolve()),
    findExpired: (fromMs, toMs) => {
      if (faults.findExpired) return Promise.reject(new Error('the database is away'));
      spans.push([fromMs, toMs]);
      return Promise.resolve([ended]);
    },
  });
  return { beat, clock, spans, faults, stream: watch.open(new AbortController().signal)[Symbol.asyncIterator]() };
}

describe('a beat', () => {
  test('publishes expired keys, then sends a heartbeat', async () => {
    const { beat, clock, spans, stream } = setUp();
    clock.nowMs = 2_000;
    await beat();
    await expect(stream.next()).resolves.toMatchObject({ value: { type: 'changed', change: ended } });
    await expect(stream.next()).resolves.toMatchObject({ value: { type: 'heartbeat', sentTsMs: 2_000 } });
    expect(spans).toEqual([[1_000, 2_000]]);
  });

  test.each(['catchUp', 'findExpired'] as const)('sends no heartbeat when %s fails, and leaves out no end afterwards', async (step) => {
    const { beat, clock, spans, faults, stream } = setUp();
    clock.nowMs = 2_000;
    faults[step] = true;
    await expect(beat()).rejects.toThrow();
    clock.nowMs = 3_000;
    faults[step] = false;
    await beat();
    expect(spans).toEqual([[1_000, 3_000]]);
    await expect(stream.next()).resolves.toMatchObject({ value: { type: 'changed' } });
    await expect(stream.next()).resolves.toMatchObject({ value: { sentTsMs: 3_000 } });
  });
});

function changed(keyId: string): WatchMessage {
  return { type: 'changed', change: { keyId, digest: new Uint8Array(32) } };
}
const heartbeat: WatchMessage = { type: 'heartbeat', sentTsMs: 1 };
const neverAborted = new AbortController().signal;

function opened() {
  const watch = createKeyWatch();
  watch.begin();
  return { watch, stream: watch.open(neverAborted)[Symbol.asyncIterator]() };
}

describe('a watcher of keys', () => {
  test('gets every change from the moment it opened, in order, also those it had not asked for yet', async () => {
    const { watch, stream } = opened();
    watch.publish(changed('a'));
    watch.publish(changed('b'));
    watch.publish(heartbeat);
    await expect(stream.next()).resolves.toEqual({ done: false, value: changed('a') });
    await expect(stream.next()).resolves.toEqual({ done: false, value: changed('b') });
    await expect(stream.next()).resolves.toEqual({ done: false, value: heartbeat });
    const next = stream.next();
    watch.publish(changed('c'));
    await expect(next).resolves.toEqual({ done: false, value: changed('c') });
  });

  test('is cut off when changes may have been missed, and let in again only when they are heard again', async () => {
    const { watch, stream } = opened();
    const next = stream.next();
    watch.lose();
    await expect(next).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(() => watch.open(neverAborted)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    watch.begin();
    const again = watch.open(neverAborted)[Symbol.asyncIterator]();
    watch.publish(heartbeat);
    await expect(again.next()).resolves.toMatchObject({ value: heartbeat });
  });

  test('is cut off rather than left without a change when it reads too slowly', async () => {
    const { watch, stream } = opened();
    for (let index = 0; index <= WATCH_BUFFER_MAX; index += 1) watch.publish(changed(String(index)));
    await expect(stream.next()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('has one heartbeat waiting at most', async () => {
    const { watch, stream } = opened();
    watch.publish(heartbeat);
    watch.publish({ type: 'heartbeat', sentTsMs: 2 });
    watch.publish(changed('a'));
    await expect(stream.next()).resolves.toMatchObject({ value: { sentTsMs: 2 } });
    await expect(stream.next()).resolves.toMatchObject({ value: changed('a') });
  });

  test('ends without an error when its caller leaves', async () => {
    const watch = createKeyWatch();
    watch.begin();
    const caller = new AbortController();
    const stream = watch.open(caller.signal)[Symbol.asyncIterator]();
    const next = stream.next();
    caller.abort();
    await expect(next).resolves.toEqual({ done: true, value: undefined });
  });
});
