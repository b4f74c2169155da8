import { currentRequestContext, withRequestContext } from '@market-state/logging';
import { createResponseCache, createTtlCache } from './response-cache';

it('returns a response while its marks are the same objects, and evicts it when they change', () => {
  const cache = createResponseCache<string, { readonly text: string }>({ sizeMax: 2 });
  const [market, response] = [{}, { text: 'a' }];
  const marks: unknown[] = [market, 1];
  cache.set('a', response, marks);
  marks[1] = 2;
  expect(cache.get('a', [market, 1])).toBe(response);
  for (const others of [[market, 2], [{}, 1], [market], [market, 1, undefined], null]) {
    cache.set('a', response, [market, 1]);
    expect([cache.get('a', others), cache.peek('a')]).toEqual([undefined, undefined]);
  }
});

it('evicts the oldest response beyond the size limit', () => {
  const cache = createResponseCache<object, object>({ sizeMax: 2 });
  const keys = [{}, {}, {}] as const;
  cache.set(keys[0], {}, []);
  cache.set(keys[1], {}, []);
  cache.set(keys[0], {}, []);
  cache.set(keys[2], {}, []);
  expect(keys.map((key) => cache.peek(key) !== undefined)).toEqual([true, false, true]);
});

it('counts a grown response at its new size without extending its lifetime', () => {
  let nowMs = 1;
  const lifetime = { ttlMs: 1_000, monotonicMs: () => nowMs };
  const cache = createResponseCache<string, { size: number }>({ sizeMax: 100, sizeOf: ({ size }) => size, lifetime });
  const [first, second] = [{ size: 1 }, { size: 1 }];
  cache.set('first', first, []);
  cache.set('second', second, []);
  first.size = 60;
  cache.resize('first');
  expect(cache.size()).toBe(61);
  nowMs = 900;
  second.size = 50;
  cache.resize('second');
  expect([cache.size(), cache.peek('first'), cache.peek('second')]).toEqual([50, undefined, second]);
  nowMs = 1_002;
  expect(cache.get('second', [])).toBeUndefined();
});

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
