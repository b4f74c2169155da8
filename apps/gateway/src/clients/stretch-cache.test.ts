import { createStretchCache, keptFor } from './stretch-cache';
import { currentRequestContext, withRequestContext } from '@market-state/logging';

it('is made once for all who ask at one time, and anew after its time', async () => {
  let nowMs = 0;
  let made = 0;
  const read = keptFor(
    1_000,
    () => nowMs,
    async () => ++made,
  );
  expect(await Promise.all([read(), read()])).toEqual([1, 1]);
  nowMs = 999;
  expect(await read()).toBe(1);
  nowMs = 1_000;
  expect(await read()).toBe(2);
});

it('keeps no failure', async () => {
  let made = 0;
  const read = keptFor(
    1_000,
    () => 0,
    async () => {
      made += 1;
      if (made === 1) throw new Error('down');
      return made;
    },
  );
  await expect(read()).rejects.toThrow('down');
  expect(await read()).toBe(2);
});

it('is made for all who ask, though the first goes away', async () => {
  const gone = new AbortController();
  const read = keptFor(
    1_000,
    () => 0,
    async () => currentRequestContext(),
  );
  const context = await withRequestContext({ requestId: 'first', signal: gone.signal }, read);
  expect(context).toEqual({ requestId: 'first' });
});

describe('a hold', () => {
  let nowMs = 100_000;
  const hold = createStretchCache<number>({ stretchMs: 10_000, entriesMax: 3, now: () => nowMs });
  let made = 0;
  const make = async (): Promise<number> => {
    made += 1;
    return made;
  };
  beforeEach(() => {
    nowMs = Math.ceil(nowMs / 10_000) * 10_000 + 100_000;
    made = 0;
  });

  it('makes a thing once for all who ask at once and in one stretch of time', async () => {
    const asked = await Promise.all(Array.from({ length: 1_000 }, () => hold.get('a', make)));
    nowMs += 9_999;
    expect([new Set(asked).size, await hold.get('a', make), made]).toEqual([1, 1, 1]);
    nowMs += 1;
    expect([await hold.get('a', make), made]).toEqual([2, 2]);
  });

  it('makes it anew when the clock was set back', async () => {
    await hold.get('a', make);
    nowMs -= 1;
    expect(await hold.get('a', make)).toBe(2);
  });

  it('tries a failed one again after a second, not before', async () => {
    const fail = async (): Promise<number> => {
      made += 1;
      throw new Error('away');
    };
    for (const later of [0, 500, 499]) {
      nowMs += later;
      await expect(hold.get('b', fail)).rejects.toThrow('away');
    }
    expect(made).toBe(1);
    nowMs += 1;
    expect(await hold.get('b', make)).toBe(2);
  });

  it('keeps so many at most', async () => {
    for (const key of ['k1', 'k2', 'k3', 'k4']) await hold.get(key, make);
    await hold.get('k1', make);
    expect(made).toBe(5);
  });
});
