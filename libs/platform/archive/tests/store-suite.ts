import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@market-state/testing';
import fc from 'fast-check';
import { ObjectKeyError, ObjectNotFoundError, type ObjectStore } from '../src';

const RUNS = Number(process.env['PROPERTY_RUNS'] ?? 30);

export async function putBytes(store: ObjectStore, key: string, bytes: string | Buffer): Promise<void> {
  const scratch = await store.scratch();
  const file = join(scratch, 'x');
  await writeFile(file, bytes);
  await store.put(key, file);
  expect(await readdir(scratch)).toEqual([]);
}

export async function textOf(store: ObjectStore, key: string): Promise<string> {
  return readFile(await store.get(key), 'utf8');
}

export async function rangeOf(store: ObjectStore, key: string, from: number, to: number): Promise<Buffer> {
  return Buffer.concat(await (await store.openRange(key, from, to)).toArray());
}

/** Jest's matchers take a minute to compare ten million bytes. */
export function expectBytes(found: Buffer, wanted: Buffer): void {
  expect(found.equals(wanted)).toBe(true);
}

/** Listings are eventually consistent. */
async function untilListed(store: ObjectStore, prefix: string, keys: readonly string[]): Promise<void> {
  await waitUntil(`${prefix} lists ${keys.join()}`, async () => (await store.list(prefix)).join() === keys.join());
}

/** Guarantees of every store. @param openNew returns a new empty store for each test */
export function describeStore(name: string, openNew: () => ObjectStore): void {
  describe(`the store in ${name}`, () => {
    let store: ObjectStore;

    beforeEach(() => {
      store = openNew();
    });

    test.each([
      '',
      '/',
      'a//b',
      '../x',
      'a/../b',
      'a/./b',
      '/a',
      'a/',
      '.a',
      'a/.b',
      'a b',
      'a\\b',
      'a*',
      'a\u0000',
      'ä',
      `${'a/'.repeat(12)}a`,
      'a'.repeat(129),
    ])('refuses what is no key: %j', async (key) => {
      await expect(store.get(key)).rejects.toThrow(ObjectKeyError);
      await expect(store.openRange(key, 0, 1)).rejects.toThrow(ObjectKeyError);
      await expect(store.put(key, '/tmp/x')).rejects.toThrow(ObjectKeyError);
      await expect(store.delete(key)).rejects.toThrow(ObjectKeyError);
      await expect(store.stat(key)).rejects.toThrow(ObjectKeyError);
    });

    test('takes keys with the name of a market', async () => {
      const key = 'symbol=BTCUSD-PERP@okx/part';
      await putBytes(store, key, 'market');
      expect(await textOf(store, key)).toBe('market');
      await untilListed(store, 'symbol=BTCUSD-PERP@okx/', [key]);
    });

    test('has under a key what was last put there, lists by prefix in order, and forgets what is deleted', async () => {
      await putBytes(store, 'a=1/b=2/part', 'one');
      await putBytes(store, 'a=1/b=3/part', 'two');
      await putBytes(store, 'a=10/part', 'other');
      expect(await textOf(store, 'a=1/b=2/part')).toBe('one');
      await putBytes(store, 'a=1/b=2/part', 'six');
      expect(await textOf(store, 'a=1/b=2/part')).toBe('six');
      const found = await store.stat('a=1/b=2/part');
      expect(found?.sizeBytes).toBe(3);
      expect(Math.abs((found?.modifiedMs ?? 0) - Date.now())).toBeLessThan(600_000);
      await untilListed(store, 'a=1/', ['a=1/b=2/part', 'a=1/b=3/part']);
      await untilListed(store, '', ['a=1/b=2/part', 'a=1/b=3/part', 'a=10/part']);
      expect(await store.list('z/')).toEqual([]);
      await store.delete('a=1/b=2/part');
      await store.delete('a=1/b=2/part');
      expect(await store.stat('a=1/b=2/part')).toBeUndefined();
      await expect(store.get('a=1/b=2/part')).rejects.toThrow(ObjectNotFoundError);
      await untilListed(store, 'a=1/', ['a=1/b=3/part']);
    });

    test('opens exactly the bytes of a range, and refuses one that is not there', async () => {
      await putBytes(store, 'a/part', 'Grüße');
      expect(await rangeOf(store, 'a/part', 0, 7)).toEqual(Buffer.from('Grüße'));
      expect((await rangeOf(store, 'a/part', 1, 2)).toString()).toBe('r');
      expect(await rangeOf(store, 'a/part', 7, 7)).toHaveLength(0);
      for (const [from, to] of [
        [0, 8],
        [7, 8],
        [8, 8],
        [3, 2],
        [-1, 2],
        [0.5, 2],
      ] as const) {
        await expect(store.openRange('a/part', from, to)).rejects.toThrow(RangeError);
      }
      for (const to of [0, 1]) await expect(store.openRange('a/none', 0, to)).rejects.toThrow(ObjectNotFoundError);
    });

    test('gives back any bytes, whole and by ranges', async () => {
      const bytes = fc.uint8Array({ maxLength: 5_000 }).map((array) => Buffer.from(array));
      const property = fc.asyncProperty(bytes, fc.nat(5_000), fc.nat(5_000), async (content, one, other) => {
        await putBytes(store, 'any', content);
        expect(await readFile(await store.get('any'))).toEqual(content);
        const [from, to] = [Math.min(one, other), Math.max(one, other)].map((at) => Math.min(at, content.length)) as [number, number];
        expect(await rangeOf(store, 'any', from, to)).toEqual(content.subarray(from, to));
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    test('is a map from keys to contents for every order of puts and deletions', async () => {
      const key = fc.constantFrom('a', 'b/c', 'b/d=1', 'b/d=1.x');
      const step = fc.record({ key, content: fc.option(fc.string({ unit: 'binary', maxLength: 20 }), { nil: undefined }) });
      const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        const model = new Map<string, string>();
        for (const { key: at, content } of steps) {
          if (content === undefined) await store.delete(at);
          else await putBytes(store, at, content);
          if (content === undefined) model.delete(at);
          else model.set(at, content);
        }
        for (const at of ['a', 'b/c', 'b/d=1', 'b/d=1.x']) {
          const content = model.get(at);
          expect((await store.stat(at))?.sizeBytes).toBe(content === undefined ? undefined : Buffer.byteLength(content));
          if (content === undefined) await expect(store.get(at)).rejects.toThrow(ObjectNotFoundError);
          else expect(await textOf(store, at)).toBe(content);
          await store.delete(at);
        }
      });
      await fc.assert(property, { numRuns: RUNS });
    });

    test('keeps an open file readable, and a range of one content, even if the object is deleted', async () => {
      const content = Buffer.alloc(300_000, 'x');
      await putBytes(store, 'a', content);
      const file = await open(await store.get('a'));
      const range = await store.openRange('a', 0, content.length);
      await store.delete('a');
      expectBytes(await file.readFile(), content);
      expectBytes(Buffer.concat(await range.toArray()), content);
      await file.close();
    });

    test('gives each caller a scratch folder of its own, and sweeps idle ones', async () => {
      const [one, other] = [await store.scratch(), await store.scratch()];
      expect(one).not.toBe(other);
      await writeFile(join(one, 'x'), 'x');
      expect(await readdir(other)).toEqual([]);
      await store.sweepScratch(60_000);
      expect(await readdir(one)).toEqual(['x']);
      await store.sweepScratch(-60_000);
      await expect(stat(one)).rejects.toThrow('ENOENT');
      await expect(stat(other)).rejects.toThrow('ENOENT');
    });

    test('does not put a file that is not there', async () => {
      await expect(store.put('a', join(await store.scratch(), 'none'))).rejects.toThrow('ENOENT');
      expect(await store.stat('a')).toBeUndefined();
    });
  });
}
