import { createFeedClock, choosePace, dueWallMs, paceOnceCaughtUp, type PaceFacts } from './clock';

function clocks() {
  const at = { wall: 1_000_000, monotonic: 50 };
  const read = createFeedClock({ wallMs: () => at.wall, monotonicMs: () => at.monotonic });
  function pass(ms: number, wallJumpMs = 0) {
    at.monotonic += ms;
    at.wall += ms + wallJumpMs;
  }
  return { read, pass };
}

describe('feed clock', () => {
  test('follows a steady wall clock exactly', () => {
    const { read, pass } = clocks();
    expect(read()).toBe(1_000_000);
    pass(12_345);
    expect(read()).toBe(1_012_345);
  });

  test('is drawn to a wall clock that jumped ahead by at most 1 ms in 100 ms', () => {
    const { read, pass } = clocks();
    pass(1_000, 300_000);
    expect(read()).toBe(1_001_010);
    pass(100);
    expect(read()).toBe(1_001_111);
  });

  test('goes on, slower by at most 1 ms in 100 ms, when the wall clock jumps back', () => {
    const { read, pass } = clocks();
    pass(1_000, -300_000);
    expect(read()).toBe(1_000_990);
    pass(100);
    expect(read()).toBe(1_001_089);
  });

  test('meets the wall clock again after a small error and stays there', () => {
    const { read, pass } = clocks();
    pass(0, 5);
    pass(1_000);
    expect(read()).toBe(1_001_005);
    pass(1_000);
    expect(read()).toBe(1_002_005);
  });
});

const hourMs = 3_600_000;
const nowMs = 1_800_000_000_000;
const facts: PaceFacts = { speed: 1, startIsGiven: false, nowMs, feedMs: nowMs - hourMs };

describe('pace', () => {
  test('an entry is due at its feed time, at its place from the anchor, or at once', () => {
    expect(dueWallMs({ kind: 'wall' }, 5)).toBe(5);
    expect(dueWallMs({ kind: 'anchored', wallMs: 1_000, feedMs: 50_000, speed: 20 }, 52_000)).toBe(1_100);
    expect(dueWallMs({ kind: 'unpaced' }, 5)).toBe(-Infinity);
  });

  test('without a given start the feed clock is the wall clock at any speed until the feed has caught up', () => {
    expect(choosePace(facts)).toEqual({ kind: 'wall' });
    expect(choosePace({ ...facts, speed: 20 })).toEqual({ kind: 'wall' });
    expect(paceOnceCaughtUp({ kind: 'wall' }, 1, nowMs)).toEqual({ kind: 'wall' });
    expect(paceOnceCaughtUp({ kind: 'wall' }, 20, nowMs)).toEqual({ kind: 'anchored', wallMs: nowMs, feedMs: nowMs, speed: 20 });
  });

  test('with a given start the pace is anchored where the feed starts, now', () => {
    expect(choosePace({ ...facts, startIsGiven: true, speed: 3 })).toEqual({
      kind: 'anchored',
      wallMs: nowMs,
      feedMs: facts.feedMs,
      speed: 3,
    });
  });

  test('max is never paced, also after it was', () => {
    expect(choosePace({ ...facts, speed: 'max', stored: { wallMs: 1, feedMs: 1, speed: 2 } })).toEqual({ kind: 'unpaced' });
  });

  test('a stored anchor remains valid, and overdue entries are caught up', () => {
    const stored = { wallMs: nowMs - 10_000, feedMs: nowMs - hourMs, speed: 20 };
    expect(choosePace({ ...facts, speed: 20, feedMs: stored.feedMs + 1_000, stored })).toEqual({ kind: 'anchored', ...stored });
  });

  test('another speed, or more than an hour of feed time to catch up, moves the anchor to the current position', () => {
    const stored = { wallMs: nowMs - 10_000, feedMs: nowMs - hourMs, speed: 20 };
    const feedMs = stored.feedMs + 1_000;
    expect(choosePace({ ...facts, speed: 5, feedMs, stored })).toEqual({ kind: 'anchored', wallMs: nowMs, feedMs, speed: 5 });
    const longAgo = { ...stored, wallMs: nowMs - hourMs };
    expect(choosePace({ ...facts, speed: 20, feedMs, stored: longAgo })).toEqual({ kind: 'anchored', wallMs: nowMs, feedMs, speed: 20 });
  });

  test('a feed clock ahead of the wall clock, from faster play, goes on from where it stands', () => {
    const feedMs = nowMs + hourMs;
    expect(choosePace({ ...facts, feedMs })).toEqual({ kind: 'anchored', wallMs: nowMs, feedMs, speed: 1 });
    expect(choosePace({ ...facts, feedMs: nowMs + 900 })).toEqual({ kind: 'wall' });
  });
});
