import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '@market-state/launcher';
import { startStores } from '@market-state/testing';
import type { TestStores } from '@market-state/testing';
import { runCommand } from './run-command';
import type { CommandResult } from './run-command';

const partitioned = `
  CREATE TABLE entry (day DATE NOT NULL, id BIGINT NOT NULL, CONSTRAINT entry_pkey PRIMARY KEY (day, id)) PARTITION BY RANGE (day);
  CREATE TABLE entry_20260101 PARTITION OF entry FOR VALUES FROM ('2026-01-01') TO ('2026-01-02');`;
const model = (more: string): string => `
  datasource db {
    provider = "postgresql"
  }

  model entry {
    day DateTime @db.Date
    id  BigInt
    ${more}

    @@id([day, id])
  }`;

let stores: TestStores;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'schema-drift-'));
  stores = await startStores({ services: [] });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stores.stop();
});

async function compare(schema: string, sql: string): Promise<CommandResult> {
  const url = await stores.emptyDatabaseUrl();
  await withClient(url, (client) => client.query(sql));
  const file = join(folder, 'schema.prisma');
  writeFileSync(file, schema);
  return runCommand('node', ['tools/prisma/drift.mjs', file], { env: { DATABASE_URL: url } });
}

test('a schema equals the database its migrations make, partitions or not', async () => {
  expect(await compare(model(''), partitioned)).toEqual({ passed: true, output: '' });
});

test('a column that no migration adds is found', async () => {
  const { passed, output } = await compare(model('extra Int?'), partitioned);
  expect(passed).toBe(false);
  expect(output).toContain('ADD COLUMN     "extra" INTEGER');
});

test('a table that the schema does not know is found', async () => {
  const { passed, output } = await compare(model(''), `${partitioned} CREATE TABLE other (id INT PRIMARY KEY)`);
  expect(passed).toBe(false);
  expect(output).toContain('DROP TABLE "other"');
});
