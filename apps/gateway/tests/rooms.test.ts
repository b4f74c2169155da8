import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { originals } from '../src/serving/openapi/operations';

const source = join(import.meta.dirname, '..', 'src');

/** Source files by path below `src`, with the files of `src` that each imports. */
function readImports(): Map<string, string[]> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  return new Map(
    files.map((file): [string, string[]] => {
      const text = readFileSync(join(source, file), 'utf8');
      const targets = [...text.matchAll(/from '(\.[^']+)'/g)].map(
        ([, target = '']) => `${relative(source, join(source, dirname(file), target))}.ts`,
      );
      return [file, targets.filter((target) => files.includes(target))];
    }),
  );
}

/** First cycle of a graph; null without one. */
function cycleOf(edges: ReadonlyMap<string, readonly string[]>): string[] | null {
  const done = new Set<string>();
  function visit(node: string, path: readonly string[]): string[] | null {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const found = visit(next, [...path, node]);
      if (found !== null) return found;
    }
    done.add(node);
    return null;
  }
  for (const node of edges.keys()) {
    const found = visit(node, []);
    if (found !== null) return found;
  }
  return null;
}

const imports = readImports();
const folderOf = (file: string): string => (dirname(file) === '.' ? 'src' : dirname(file));
const tagOf = (file: string): string | undefined => /^routes\/([^/]+)\//.exec(file)?.[1];

function folderImports(): Map<string, string[]> {
  const folders = new Map<string, Set<string>>();
  for (const [file, targets] of imports) {
    const others = targets.map(folderOf).filter((folder) => folder !== folderOf(file));
    folders.set(folderOf(file), new Set([...(folders.get(folderOf(file)) ?? []), ...others]));
  }
  return new Map([...folders].map(([folder, others]) => [folder, [...others]]));
}

it('finds a cycle where there is one', () => {
  expect(
    cycleOf(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b', 'c', 'b']);
});

it('has no import cycle, of files or of folders', () => {
  expect(cycleOf(imports)).toBeNull();
  expect(cycleOf(folderImports())).toBeNull();
});

it('has only folders next to its entry points', () => {
  const rooms = readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rooms.sort()).toEqual(['caches', 'clients', 'release', 'routes', 'serving', 'streams']);
});

it('has routes that import no route of another tag, and nothing but its entry points that imports a route', () => {
  const wrong: string[] = [];
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const tag = tagOf(target);
      if (tag !== undefined && tag !== tagOf(file) && folderOf(file) !== 'src') wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('has a folder of routes for each tag that is not of twins alone, named as in the document', () => {
  const tags = new Set(originals.map(({ tag }) => tag));
  expect(readdirSync(join(source, 'routes')).sort()).toEqual([...tags].sort());
});
