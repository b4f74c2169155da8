import { createResponseCache } from './response-cache';

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
