import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, ObjectKeyError, ObjectNotFoundError, type ObjectStore } from '../src';

let root: string;
let store: ObjectStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'store-'));
  store = createFolderStore(join(root, 'objects'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function put(key: string, text: string): Promise<void> {
  const scratch = await store.scratch();
  const file = join(scratch, 'x');
  await writeFile(file, text);
  await store.put(key, file);
  await rm(scratch, { recursive: true });
}

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
])('no key: %j', async (key) => {
  await expect(store.get(key)).rejects.toThrow(ObjectKeyError);
  await expect(store.put(key, join(root, 'x'))).rejects.toThrow(ObjectKeyError);
  await expect(store.delete(key)).rejects.toThrow(ObjectKeyError);
  await expect(store.stat(key)).rejects.toThrow(ObjectKeyError);
});

test('an object is what was last put, listed by prefix in order, and gone with its empty folders', async () => {
  await put('a=1/b=2/part', 'one');
  await put('a=1/b=3/part', 'two');
  await put('a=1/b=2/part', 'three');
  expect(await readFile(await store.get('a=1/b=2/part'), 'utf8')).toBe('three');
  expect(await store.stat('a=1/b=2/part')).toMatchObject({ sizeBytes: 5 });
  expect(await store.list('a=1/')).toEqual(['a=1/b=2/part', 'a=1/b=3/part']);
  expect(await store.list('')).toEqual(['a=1/b=2/part', 'a=1/b=3/part']);
  expect(await store.list('z/')).toEqual([]);
  await store.delete('a=1/b=2/part');
  await store.delete('a=1/b=2/part');
  expect(await store.stat('a=1/b=2/part')).toBeUndefined();
  await expect(store.get('a=1/b=2/part')).rejects.toThrow(ObjectNotFoundError);
  expect(await readdir(join(root, 'objects', 'a=1'))).toEqual(['b=3']);
});

test('a range is exactly its bytes, of the content that was there when it was opened', async () => {
  await put('a/part', 'Grüße');
  const text = async (from: number, to: number): Promise<string> =>
    Buffer.concat(await (await store.openRange('a/part', from, to)).toArray()).toString('latin1');
  expect(await text(0, 7)).toBe(Buffer.from('Grüße').toString('latin1'));
  expect(await text(1, 2)).toBe('r');
  expect(await text(7, 7)).toBe('');
  const opened = await store.openRange('a/part', 0, 2);
  await put('a/part', 'other');
  expect(Buffer.concat(await opened.toArray()).toString()).toBe('Gr');
  for (const [from, to] of [
    [0, 6],
    [3, 2],
    [-1, 2],
    [0.5, 2],
  ] as const) {
    await expect(store.openRange('a/part', from, to)).rejects.toThrow(RangeError);
  }
  await expect(store.openRange('a/none', 0, 1)).rejects.toThrow(ObjectNotFoundError);
});

test('scratch folders of killed processes are swept once nobody writes to them, others stay', async () => {
  const old = await store.scratch();
  await writeFile(join(old, 'part'), 'x');
  const used = await store.scratch();
  await writeFile(join(used, 'part'), 'x');
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(old, 'part'), hourAgo, hourAgo);
  await utimes(old, hourAgo, hourAgo);
  await utimes(used, hourAgo, hourAgo);
  await store.sweepScratch(60_000);
  expect(await readdir(join(root, 'objects', '.scratch'))).toEqual([used.split('/').at(-1)]);
});

test('a folder that a pattern of file names could not name is refused', async () => {
  await mkdir(join(root, 'x[1]'));
  expect(() => createFolderStore(join(root, 'x[1]'))).toThrow(RangeError);
});
