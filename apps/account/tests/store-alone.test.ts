import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const SRC = join(__dirname, '..', 'src');
const STORE = `store${sep}`;

/** What builds or sends a statement: a query of `pg`, Kysely, or the tables that Kysely builds over. */
const STATEMENT = /\.query\s*[(<]|['"]kysely['"]|store\/tables['"]/;

/** Every file of code under `src`, by its path from there. */
function sourceFiles(): string[] {
  return readdirSync(SRC, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ parentPath, name }) => relative(SRC, join(parentPath, name)));
}

test('no file outside store/ builds or sends a statement', () => {
  const outside = sourceFiles().filter((file) => !file.startsWith(STORE));
  expect(outside.length).toBeGreaterThan(100);
  expect(outside.filter((file) => STATEMENT.test(readFileSync(join(SRC, file), 'utf8')))).toEqual([]);
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
