/**
 * `node drift.mjs <schema.prisma>`, with a migrated database in DATABASE_URL, writes the SQL that its migrations lack.
 * Ignores partitions, because their table is compared.
 */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import pg from 'pg';
import { openEngine } from './engine.mjs';

const [path] = process.argv.slice(2);
const url = process.env.DATABASE_URL;
const { engine } = await openEngine(url, [], (message) => process.stderr.write(`${message}\n`));
const files = [{ path, content: readFileSync(path, 'utf8') }];
const { stdout } = await engine.diff({
  from: { tag: 'schemaDatasource', files, configDir: dirname(path) },
  to: { tag: 'schemaDatamodel', files },
  script: true,
  exitCode: null,
  filters: { externalTables: await partitions(), externalEnums: [] },
});
const missing = stdout.includes('This is an empty migration') ? '' : stdout.trim();
process.stdout.write(missing === '' ? '' : `${path} has changes that its migrations lack:\n${missing}\n`, () =>
  process.exit(missing === '' ? 0 : 1),
);

async function partitions() {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `SELECT n.nspname || '.' || c.relname AS name
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relispartition AND c.relkind IN ('r', 'p')`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
