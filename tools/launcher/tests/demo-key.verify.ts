import { execFileSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { definitions } from '../src/services';
import { launchSystem } from '../src/system/start-system';
import { programFile, workspaceRoot } from '../src/workspace-root';

test('the demo key is reused while the account service accepts it, and replaced otherwise', async () => {
  execFileSync(process.execPath, [join(workspaceRoot(), 'tools', 'bootstrap.mjs'), 'prepare']);
  const onlyAccount = definitions.filter(({ name }) => name === 'account');
  const system = await launchSystem({}, onlyAccount, () => programFile('account'));
  const file = join(system.dataDir, 'demo-key');

  const first = await system.demoKey();
  expect(first).toMatch(/^msk_live_[0-9A-Za-z]{46}$/);
  expect(readFileSync(file, 'utf8')).toBe(`${first}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await system.demoKey()).toBe(first);

  writeFileSync(file, `${first.slice(0, -1)}\n`);
  const second = await system.demoKey();
  expect(second).not.toBe(first);
  expect(await system.demoKey()).toBe(second);
  await system.stop();
});
