import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolderStore, type ObjectStore, openStore } from '../src';
import { describeStore, putBytes, rangeOf, textOf } from './store-suite';

let root: string;
let store: ObjectStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'store-'));
  store = createFolderStore(join(root, 'objects'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

describeStore('a folder', () => store);

test('a folder is opened by its path and by its file: URL alike', async () => {
  await putBytes(openStore(join(root, 'objects')), 'a', 'text');
  expect(await textOf(openStore(`file://${root}/objects`), 'a')).toBe('text');
});

test('empty folders go with the last object in them', async () => {
  await putBytes(store, 'a=1/b=2/part', 'one');
  await putBytes(store, 'a=1/b=3/part', 'two');
  await store.delete('a=1/b=2/part');
  expect(await readdir(join(root, 'objects', 'a=1'))).toEqual(['b=3']);
});

test('a range that was opened is of the content that was there then', async () => {
  await putBytes(store, 'a', 'first');
  const opened = await store.openRange('a', 0, 3);
  await putBytes(store, 'a', 'other');
  expect(Buffer.concat(await opened.toArray()).toString()).toBe('fir');
  expect((await rangeOf(store, 'a', 0, 3)).toString()).toBe('oth');
});

test('scratch folders of killed processes are swept once they are idle, others stay', async () => {
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
