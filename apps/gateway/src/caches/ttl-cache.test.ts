import { currentRequestContext, withRequestContext } from '@market-state/logging';
import { createTtlCache } from './ttl-cache';

describe('a value', () => {
  it('is loaded once for concurrent callers, and again after its lifetime', async () => {
    let nowMs = 0;
    let loaded = 0;
    const cache = createTtlCache<number>({ ttlMs: 1_000, now: () => nowMs });
    const read = () => cache.get('', async () => ++loaded);
    expect(await Promise.all([read(), read()])).toEqual([1, 1]);
    nowMs = 999;
    expect([await read(), cache.peek('')]).toEqual([1, 1]);
    nowMs = 1_000;
    expect(cache.peek('')).toBeNull();
    expect(await read()).toBe(2);
  });

  it('is not cached if its load failed', async () => {
    let loaded = 0;
    const cache = createTtlCache<number>({ ttlMs: 1_000, now: () => 0 });
    const read = () =>
      cache.get('', async () => {
        loaded += 1;
        if (loaded === 1) throw new Error('down');
        return loaded;
      });
    await expect(read()).rejects.toThrow('down');
    expect(await read()).toBe(2);
  });

  it('is loaded for all callers, even if the first disconnects', async () => {
    const gone = new AbortController();
    const cache = createTtlCache<unknown>({ ttlMs: 1_000, now: () => 0 });
    const read = () => cache.get('', async () => currentRequestContext());
    const context = await withRequestContext({ requestId: 'first', signal: gone.signal }, read);
    expect(context).toEqual({ requestId: 'first' });
  });
});

describe('values that expire on the clock', () => {
  let nowMs = 100_000;
  const cache = createTtlCache<number>({ ttlMs: 10_000, aligned: true, failureTtlMs: 1_000, entriesMax: 3, now: () => nowMs });
  let loaded = 0;
  const load = async (): Promise<number> => {
    loaded += 1;
    return loaded;
  };
  beforeEach(() => {
    nowMs = Math.ceil(nowMs / 10_000) * 10_000 + 100_000;
    loaded = 0;
  });

  it('are loaded once for concurrent callers, until the next multiple of the lifetime', async () => {
    const requested = await Promise.all(Array.from({ length: 1_000 }, () => cache.get('a', load)));
    nowMs += 9_999;
    expect([new Set(requested).size, await cache.get('a', load), loaded]).toEqual([1, 1, 1]);
    nowMs += 1;
    expect([await cache.get('a', load), loaded]).toEqual([2, 2]);
    nowMs += 9_999;
    expect(await cache.get('b', load)).toBe(3);
    nowMs += 1;
    expect(await cache.get('b', load)).toBe(4);
  });

  it('are loaded again after the clock was set back', async () => {
    await cache.get('a', load);
    nowMs -= 1;
    expect(await cache.get('a', load)).toBe(2);
  });

  it('are retried a second after a failed load, not before', async () => {
    const fail = async (): Promise<number> => {
      loaded += 1;
      throw new Error('away');
    };
    for (const later of [0, 500, 499]) {
      nowMs += later;
      await expect(cache.get('b', fail)).rejects.toThrow('away');
    }
    expect(loaded).toBe(1);
    nowMs += 1;
    expect(await cache.get('b', load)).toBe(2);
  });

  it('are limited in number', async () => {
    for (const key of ['k1', 'k2', 'k3', 'k4']) await cache.get(key, load);
    await cache.get('k1', load);
    expect(loaded).toBe(5);
  });
});
