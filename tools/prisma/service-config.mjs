import { fileURLToPath } from 'node:url';
import { defineConfig } from 'prisma/config';

/**
 * The Prisma configuration of a service, for its `prisma.config.ts`: schema and migrations under the service's `prisma/`,
 * the database of `DATABASE_URL`, and the schema engine beside this file. Nothing is downloaded or reported home.
 */
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
