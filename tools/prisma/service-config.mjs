import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

/** Downloads and reports nothing. */
export function serviceConfig() {
  process.env.PRISMA_SCHEMA_ENGINE_BINARY = fileURLToPath(new URL('schema-engine.mjs', import.meta.url));
  process.env.CHECKPOINT_DISABLE = '1';
  process.env.PRISMA_HIDE_UPDATE_MESSAGE = '1';
  return defineConfig({
    schema: 'prisma/schema.prisma',
    migrations: { path: 'prisma/migrations' },
    datasource: { url: process.env.DATABASE_URL ?? 'postgresql://localhost/unset' },
  });
}
