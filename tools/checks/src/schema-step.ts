import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appFolderOf, databaseServices, migrate, startStores, workspaceRoot } from '@market-state/launcher';
import { runCommand } from './run-command';
import type { CommandResult } from './run-command';

/** Each service's schema.prisma describes the database that its migrations make. */
export async function checkSchemas(): Promise<CommandResult> {
  const stores = await startStores();
  try {
    const results: CommandResult[] = [];
    for (const service of databaseServices) {
      const url = stores.ownerUrl(service);
      await migrate(stores.migrationTargets([service]));
      const schema = join(workspaceRoot(), appFolderOf(service), 'prisma', 'schema.prisma');
      if (!existsSync(schema)) results.push({ passed: false, output: `${schema} is missing` });
      else results.push(await runCommand('node', ['tools/prisma/drift.mjs', schema], { env: { DATABASE_URL: url } }));
    }
    return { passed: results.every(({ passed }) => passed), output: results.map(({ output }) => output).join('') };
  } finally {
    await stores.stop();
  }
}
