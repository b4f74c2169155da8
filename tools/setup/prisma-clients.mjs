import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { digestOfFiles } from './digest.mjs';

const run = promisify(execFile);

/**
 * Generates the Prisma client of each app whose schema asks for one, unless the one that is there was made from it.
 * @returns the apps whose client was generated
 */
export async function generatePrismaClients(root) {
  const apps = readdirSync(join(root, 'apps')).filter((app) => hasClient(join(root, 'apps', app, 'prisma', 'schema.prisma')));
  const stale = apps.map((app) => ({ app, ...stateOf(root, app) })).filter(({ fresh }) => !fresh);
  await Promise.all(
    stale.map(async ({ app, mark, digest }) => {
      const cli = join(root, 'node_modules', 'prisma', 'build', 'index.js');
      await run(process.execPath, [cli, 'generate'], { cwd: join(root, 'apps', app) });
      writeFileSync(mark, digest);
    }),
  );
  return stale.map(({ app }) => app);
}

function hasClient(schema) {
  return existsSync(schema) && /^generator client /m.test(readFileSync(schema, 'utf8'));
}

function stateOf(root, app) {
  const mark = join(root, 'apps', app, 'src', 'generated', 'prisma', '.schema');
  const digest = digestOfFiles(root, [`apps/${app}/prisma/schema.prisma`, 'node_modules/prisma/package.json']);
  return { mark, digest, fresh: existsSync(mark) && readFileSync(mark, 'utf8') === digest };
}
