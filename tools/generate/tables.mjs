import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Apps that have tables. */
function appsWithTables(root) {
  return readdirSync(join(root, 'apps')).filter((app) => existsSync(schemaIn(root, app)));
}

/**
 * Writes the types of each app's tables, made from its schema, as Kysely takes them.
 * @param into folder to write below, laid out like the workspace; the workspace itself by default
 */
export function generateTables(root, into = root) {
  const engine = fileURLToPath(new URL('../prisma/schema-engine.mjs', import.meta.url));
  const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, PRISMA_SCHEMA_ENGINE_BINARY: engine, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  for (const app of appsWithTables(root)) {
    const schema = schemaIn(into, app);
    mkdirSync(dirname(schema), { recursive: true });
    if (into !== root) copyFileSync(schemaIn(root, app), schema);
    const cli = join(root, 'node_modules', 'prisma', 'build', 'index.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate', '--schema', schema], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`The types of the tables of ${app} cannot be generated.\n${stdout}${stderr}`);
  }
}

function schemaIn(root, app) {
  return join(root, 'apps', app, 'prisma', 'schema.prisma');
}
