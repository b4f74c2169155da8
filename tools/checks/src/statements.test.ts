import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

const APPS = join(workspaceRoot(), 'apps');

/** What builds or sends a statement: a query of `pg`, Kysely, or the tables that Kysely builds over. */
const STATEMENT = /\.query\s*[(<]|['"]kysely['"]|store\/tables['"]/;

const withTables = readdirSync(APPS).filter((app) => existsSync(join(APPS, app, 'prisma')));

/** Every file of code of an app outside `src/store`, by its path. */
function filesOutsideStore(app: string): string[] {
  const src = join(APPS, app, 'src');
  return readdirSync(src, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !relative(src, file).startsWith(`store${sep}`));
}

test('three apps have tables', () => {
  expect(withTables).toEqual(['account', 'data-plane', 'labeling']);
});

test.each(withTables)('no file of %s outside its store builds or sends a statement', (app) => {
  const files = filesOutsideStore(app);
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => STATEMENT.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test.each([
  `await client.query('SELECT 1');`,
  'const { rows } = await pool.query<{ id: string }>(text);',
  `import { sql } from 'kysely';`,
  `import { tables } from '../store/tables';`,
])('%j counts as a statement', (line) => {
  expect(STATEMENT.test(line)).toBe(true);
});

test.each([`import { findKeyByDigest } from '../store/keys';`, 'const { query } = request;'])('%j counts as none', (line) => {
  expect(STATEMENT.test(line)).toBe(false);
});
