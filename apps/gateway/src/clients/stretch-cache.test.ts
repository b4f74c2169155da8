import { createStretchCache } from './stretch-cache';

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
