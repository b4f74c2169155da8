import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { appFolderOf, databaseServices, workspaceRoot } from '@market-state/launcher';

/** Code that builds or sends SQL: a `pg` query, `selectRows`, Kysely, or Kysely's tables. */
const STATEMENT = /\.query\s*[(<]|\bselectRows\b|['"]kysely['"]|store\/tables['"]/;

/** Code files of an app outside `src/store`. */
function filesOutsideStore(folder: string): string[] {
  const src = join(workspaceRoot(), folder, 'src');
  return readdirSync(src, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.(test|verify)\.ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !relative(src, file).startsWith(`store${sep}`));
}

test('the registry lists services with tables', () => {
  expect(databaseServices).toContain('account');
});

test.each(databaseServices.map(appFolderOf))('no file of %s outside its store builds or sends SQL', (folder) => {
  const files = filesOutsideStore(folder);
  expect(files).toContain(join(workspaceRoot(), folder, 'src', 'server.ts'));
  expect(files.filter((file) => STATEMENT.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test.each([
  `await client.query('SELECT 1');`,
  'const { rows } = await pool.query<{ id: string }>(text);',
  'const rows = await selectRows<Row>(pool, { text });',
  `import { sql } from 'kysely';`,
  `import { tables } from '../store/tables';`,
])('%j counts as SQL', (line) => {
  expect(STATEMENT.test(line)).toBe(true);
});

test.each([`import { findKeyByDigest } from '../store/keys';`, 'const { query } = request;'])('%j does not count', (line) => {
  expect(STATEMENT.test(line)).toBe(false);
});
