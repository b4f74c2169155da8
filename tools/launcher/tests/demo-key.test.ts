import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAccount } from '@market-state/account';
import { silentLogger } from '@market-state/logging';
import { migrate } from '../src/migrations/migrate';
import { startStores } from '../src/stores/start-stores';
import { obtainKey } from '../src/system/demo-key';

jest.setTimeout(60_000);

test('the demo key is kept while it opens something, and replaced when it does not', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-key-'));
  const file = join(folder, 'demo-key');
  const stores = await startStores();
  const databaseUrl = stores.postgresUrl('account');
  await migrate([{ service: 'account', url: databaseUrl }]);
  const config = { logLevel: 'silent', grpcAddress: '127.0.0.1:0', opsPort: 0, databaseUrl, shutdownWaitMs: 0 } as const;
  const account = await startAccount(config, { logger: silentLogger() });

  const first = await obtainKey(account.address, file);
  expect(first).toMatch(/^msk_live_[0-9A-Za-z]{46}$/);
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await obtainKey(account.address, file)).toBe(first);

  writeFileSync(file, `${first.slice(0, -1)}x\n`);
  const second = await obtainKey(account.address, file);
  expect(second).not.toBe(first);
  expect(await obtainKey(account.address, file)).toBe(second);

  await account.close();
  await stores.stop();
  rmSync(folder, { recursive: true, force: true });
});
