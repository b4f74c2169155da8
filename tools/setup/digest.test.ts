import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { digestOfFiles } = (await import(pathToFileURL(join(__dirname, 'digest.mjs')).href)) as {
  digestOfFiles(root: string, files: readonly string[], nowMs?: number): string;
};

let root: string;
const FILES = ['apps/one.ts', 'apps/two.ts'];
const write = (file: string, text: string, atS = 1_000): void => {
  writeFileSync(join(root, file), text);
  utimesSync(join(root, file), atS, atS);
};
/** The digest as long after the last change as it is kept. */
const settled = (files: readonly string[] = FILES): string => digestOfFiles(root, files, Date.now() + 2_000);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'market-state-digest-'));
  mkdirSync(join(root, 'apps'));
  write('apps/one.ts', 'one');
  write('apps/two.ts', 'two');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const kept = (): string => join(root, 'dist/.digests');

test('is of names and contents, whether files are read or were before', () => {
  const first = digestOfFiles(root, FILES);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  expect([settled(), settled()]).toEqual([first, first]);
  expect(settled(FILES.slice(0, 1))).not.toBe(first);
});

test('of files that are as they were is the kept one', () => {
  const digest = settled();
  writeFileSync(kept(), readFileSync(kept(), 'utf8').replace(digest, 'kept'));
  expect(settled()).toBe('kept');
  writeFileSync(kept(), 'not JSON');
  expect(settled()).toBe(digest);
});

test('of files that have changed just now is not kept: they may change again within the same instant', () => {
  digestOfFiles(root, FILES);
  expect(existsSync(kept())).toBe(false);
});

test('is another once a file has changed, though its size and the time of its contents are those of before', () => {
  const before = settled();
  write('apps/two.ts', 'TWO');
  expect(settled()).not.toBe(before);
  write('apps/two.ts', 'two');
  expect(settled()).toBe(before);
});

test('of a file that is not there is an error', () => {
  expect(() => digestOfFiles(root, ['apps/three.ts'])).toThrow('three.ts');
});
