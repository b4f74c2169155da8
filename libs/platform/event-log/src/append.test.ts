import fc from 'fast-check';
import type { EntryId, LogEntry } from './log-redis';
import { createTail } from './append';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 30) };
const LIMITS = { entries: 200, ageMs: 1_000 };
/** A piece of memory with its entries' numbers. */
const PIECE = 16_384 + 64 * 32;
const LARGE = 40_000;

const pushes = fc.array(
  fc.record({
    afterMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.constant(LIMITS.ageMs)),
    epochRises: fc.integer({ min: 0, max: 9 }).map((draw) => draw === 0),
    sizes: fc.array(fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 0, max: 900 }) }, fc.constant(LARGE)), {
      minLength: 1,
      maxLength: 80,
    }),
  }),
  { minLength: 1, maxLength: 12 },
);

function play(drawn: readonly { afterMs: number; epochRises: boolean; sizes: readonly number[] }[], bytesMax: number) {
  const before: EntryId = { epoch: 1, ordinal: 100 };
  let [nowMs, epoch, ordinal] = [0, 1, 100];
  const tail = createTail(before, () => nowMs, LIMITS);
  const pushed: { readonly entry: LogEntry; readonly atMs: number }[] = [];
  let bytesSeen = 0;
  for (const { afterMs, epochRises, sizes } of drawn) {
    nowMs += afterMs;
    if (epochRises) epoch += 1;
    const entries = sizes.map((size) => ({ epoch, ordinal: (ordinal += 1), payload: new Uint8Array(size).fill(ordinal) }));
    tail.push(entries, bytesMax);
    pushed.push(...entries.map((entry) => ({ entry, atMs: nowMs })));
    bytesSeen = Math.max(bytesSeen, tail.bytes());
  }
  return { tail, before, pushed, nowMs, bytesSeen };
}

test('it gives what was pushed after an entry, byte for byte, as far back as its limits say and no further', () => {
  fc.assert(
    fc.property(pushes, (drawn) => {
      const { tail, before, pushed, nowMs } = play(drawn, Infinity);
      const kept = pushed.slice(-LIMITS.entries).filter(({ atMs }) => atMs >= nowMs - LIMITS.ageMs);
      const ids = [before, ...pushed.map(({ entry }) => entry)];
      const oldest = ids.length - kept.length - 1;
      ids.forEach((id, index) => {
        const held = tail.since(id);
        if (index < oldest) return expect(held).toBeUndefined();
        expect(held?.entries.map(copyOf)).toEqual(pushed.slice(index).map(({ entry }) => copyOf(entry)));
        expect(held?.payload === undefined).toBe(index === oldest);
      });
      const last = ids.at(-1) ?? before;
      expect(tail.since({ epoch: last.epoch, ordinal: last.ordinal + 1 })).toBeUndefined();
    }),
    RUNS,
  );
});

test('its memory stays within the limit, plus one piece, and it keeps the newest entries', () => {
  fc.assert(
    fc.property(pushes, fc.integer({ min: 1, max: 8 * PIECE }), (drawn, bytesMax) => {
      const { tail, pushed, bytesSeen } = play(drawn, bytesMax);
      expect(bytesSeen).toBeLessThanOrEqual(Math.max(bytesMax, LARGE + 64 * 32));
      const newest = pushed.at(-1)?.entry;
      const held = newest === undefined ? undefined : tail.since(newest);
      expect(held?.entries).toEqual([]);
      expect(held?.payload).toEqual(newest?.payload);
    }),
    RUNS,
  );
});

test('10,000 entries of 450 bytes take less than 6 MB, and 60 s at ten a second less than 350 kB', () => {
  const entries = (from: number, total: number): LogEntry[] =>
    Array.from({ length: total }, (_, at) => ({ epoch: 1, ordinal: from + at, payload: new Uint8Array(450) }));
  const full = createTail(undefined, () => 0);
  full.push(entries(1, 15_000), Infinity);
  expect(full.bytes()).toBeLessThan(6_000_000);
  let nowMs = 0;
  const live = createTail(undefined, () => nowMs);
  for (let second = 0; second < 180; second += 1) {
    nowMs = second * 1_000;
    live.push(entries(1 + second * 10, 10), Infinity);
  }
  expect(live.bytes()).toBeLessThan(350_000);
  expect(live.since({ epoch: 1, ordinal: 1_200 })?.entries).toHaveLength(600);
  expect(live.since({ epoch: 1, ordinal: 1_100 })).toBeUndefined();
});

function copyOf(entry: LogEntry) {
  return { epoch: entry.epoch, ordinal: entry.ordinal, payload: Buffer.from(entry.payload).toString('latin1') };
}
