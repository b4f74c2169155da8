import { createBeat } from './beat';
import { createKeyWatch } from './key-watch';
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
  test('tells of the keys that ended, then sends a heartbeat', async () => {
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
