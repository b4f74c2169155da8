import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

const folder = join('docs', 'how-to');
const pages = readdirSync(join(workspaceRoot(), folder)).map((name) => join(folder, name));

function read(file: string): string {
  return readFileSync(join(workspaceRoot(), file), 'utf8');
}

function isThere(path: string): boolean {
  return existsSync(join(workspaceRoot(), path));
}

/** Paths that a page names from the workspace root. */
function pathsIn(text: string): readonly string[] {
  const found = text.match(/(?<![\w./-])(?:apps|docs|libs|proto|tools)\/[\w./-]*\w|(?<=`)(?:services\.json|README\.md|CODEOWNERS)(?=`)/g);
  return [...new Set(found ?? [])];
}

/** The name that a page makes up: paths with it are those that its reader is to make. */
function standInOf(text: string): string {
  return /`([\w-]+)` stands\s+for/.exec(text)?.[1] ?? '';
}

/** The nearest folder above a path that is not made up. */
function knownFolder(path: string, standIn: string): string {
  const parent = dirname(path);
  return parent.includes(standIn) ? knownFolder(parent, standIn) : parent;
}

/** True if the path exists or is the prefix of a file, as the test runner accepts it. */
function isNamed(path: string): boolean {
  const parent = join(workspaceRoot(), dirname(path));
  return isThere(path) || (existsSync(parent) && readdirSync(parent).some((name) => join(dirname(path), name).startsWith(`${path}.`)));
}

test.each(pages)('%s names no path that is not there, and makes its own only in folders that are', (page) => {
  const text = read(page);
  const standIn = standInOf(text);
  expect(standIn).not.toBe('');
  const paths = pathsIn(text);
  const [own, known] = [paths.filter((path) => path.includes(standIn)), paths.filter((path) => !path.includes(standIn))];
  expect(known.length).toBeGreaterThan(2);
  expect(known.filter((path) => !isNamed(path))).toEqual([]);
  expect(own.filter((path) => isThere(path))).toEqual([]);
  expect(own.map((path) => knownFolder(path, standIn)).filter((path) => !isThere(path))).toEqual([]);
});

test.each(pages)('%s links to pages that are there, and is at most a page', (page) => {
  const text = read(page);
  const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => join(dirname(page), link));
  expect(links.filter((link) => !isThere(link))).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(70);
});

test('the contributing guide links to each', () => {
  for (const page of pages) expect(read(join('docs', 'CONTRIBUTING.md'))).toContain(`(${relative('docs', page)})`);
});
