import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

const folder = join('docs', 'how-to');
const pages = readdirSync(join(workspaceRoot(), folder)).map((name) => join(folder, name));

function read(file: string): string {
  return readFileSync(join(workspaceRoot(), file), 'utf8');
}

function isThere(path: string): boolean {
  return existsSync(join(workspaceRoot(), path));
}

/** Workspace paths named on a page. */
function pathsIn(text: string): readonly string[] {
  const found = text.match(/(?<![\w./-])(?:apps|docs|libs|proto|tools)\/[\w./-]*\w|(?<=`)(?:services\.json|README\.md|CODEOWNERS)(?=`)/g);
  return [...new Set(found ?? [])];
}

/** The page's placeholder name: paths with it are for the reader to create. */
function standInOf(text: string): string {
  return /`([\w-]+)` stands\s+for/.exec(text)?.[1] ?? '';
}

/** Nearest existing parent folder of a path with a placeholder. */
function knownFolder(path: string, standIn: string): string {
  const parent = dirname(path);
  return parent.includes(standIn) ? knownFolder(parent, standIn) : parent;
}

/** True for an existing path, or a file name prefix as accepted by the test runner. */
function isNamed(path: string): boolean {
  const parent = join(workspaceRoot(), dirname(path));
  return isThere(path) || (existsSync(parent) && readdirSync(parent).some((name) => join(dirname(path), name).startsWith(`${path}.`)));
}

test.each(pages)('%s names only existing paths, and creates new ones only in existing folders', (page) => {
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

test.each(pages)('%s links to existing pages, and fits on a page', (page) => {
  const text = read(page);
  const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => join(dirname(page), link));
  expect(links.filter((link) => !isThere(link))).toEqual([]);
  expect(text.split('\n').length).toBeLessThan(70);
});

test('the README links to each', () => {
  for (const page of pages) expect(read('README.md')).toContain(`(${page})`);
});
