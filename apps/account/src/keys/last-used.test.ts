import { createLastUsed, LAST_USED_INTERVAL_MS } from './last-used';

function setUp(write: () => Promise<void> = () => Promise.resolve()) {
  const written: [string, number, number][] = [];
  const errors: unknown[] = [];
  const clock = { nowMs: 1_000_000 };
  const lastUsed = createLastUsed({
    store: {
      writeLastUsed: (...call) => {
        written.push(call);
        return write();
      },
    },
    clock: () => clock.nowMs,
    onError: (error) => errors.push(error),
  });
  return { written, errors, clock, lastUsed };
}

describe('the last use of a key', () => {
  test('is written once a minute however often the key is used', () => {
    const { written, clock, lastUsed } = setUp();
    lastUsed.touch('a');
    clock.nowMs += LAST_USED_INTERVAL_MS - 1;
    lastUsed.touch('a');
    lastUsed.touch('b');
    clock.nowMs += 1;
    lastUsed.touch('a');
    expect(written).toEqual([
      ['a', 1_000_000, 940_000],
      ['b', 1_059_999, 999_999],
      ['a', 1_060_000, 1_000_000],
    ]);
  });

  test('drain waits for it, and a failed write is reported and dropped', async () => {
    let fail: (error: Error) => void = () => undefined;
    const { errors, lastUsed } = setUp(() => new Promise((_resolve, reject) => (fail = reject)));
    lastUsed.touch('a');
    const drained = lastUsed.drain();
    fail(new Error('the store is away'));
    await drained;
    expect(errors).toEqual([new Error('the store is away')]);
  });
});
