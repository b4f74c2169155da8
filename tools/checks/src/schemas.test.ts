import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { appFolderOf, databaseServices, workspaceRoot } from '@market-state/launcher';
import { startStores, type TestStores } from '@market-state/testing';

let stores: TestStores;
beforeAll(async () => {
  stores = await startStores();
});
afterAll(() => stores.stop());

test.each(databaseServices)('the schema of %s matches the database created by its migrations', async (service) => {
  const schema = join(workspaceRoot(), appFolderOf(service), 'prisma', 'schema.prisma');
  const env = { ...process.env, DATABASE_URL: stores.ownerUrl(service) };
  const differences = await promisify(execFile)(process.execPath, ['tools/prisma/drift.mjs', schema], { cwd: workspaceRoot(), env }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
  expect(differences).toBe('');
});
