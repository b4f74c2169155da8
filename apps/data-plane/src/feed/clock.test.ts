import { createFeedClock } from './clock';

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
