import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { appFolderOf, databaseServices, workspaceRoot } from '@market-state/launcher';

/** What builds or sends a statement: a query of `pg`, Kysely, or the tables that Kysely builds over. */
const STATEMENT = /\.query\s*[(<]|['"]kysely['"]|store\/tables['"]/;

/** Every file of code of an app outside `src/store`, by its path. */
function filesOutsideStore(folder: string): string[] {
  const src = join(workspaceRoot(), folder, 'src');
  return readdirSync(src, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !/\.(test|verify)\.ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !relative(src, file).startsWith(`store${sep}`));
}

test('the registry names services with tables', () => {
  expect(databaseServices).toContain('account');
});

test.each(databaseServices.map(appFolderOf))('no file of %s outside its store builds or sends a statement', (folder) => {
  const files = filesOutsideStore(folder);
  expect(files).toContain(join(workspaceRoot(), folder, 'src', 'server.ts'));
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
