import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, lockAddress, withSetupLock } from './setup-lock.mjs';

const folder = mkdtempSync(join(tmpdir(), 'setup-lock-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('work on one folder runs one at a time, and a failure frees the folder', async () => {
  const order: string[] = [];
  const say = (line: string): void => void order.push(line);
  const first = withSetupLock(folder, say, async () => {
    order.push('first starts');
    await new Promise((resolve) => setTimeout(resolve, 50));
    order.push('first fails');
    throw new Error('first failed');
  });
  const second = withSetupLock(folder, say, async () => order.push('second starts'));
  await expect(first).rejects.toThrow('first failed');
  await second;
  expect(order.filter((line) => line.includes(folder))).toEqual([`Another command is setting up ${folder}: waiting for it.`]);
  expect(order.filter((line) => !line.includes(folder))).toEqual(['first starts', 'first fails', 'second starts']);
});

test('a socket file that a killed process left behind does not keep the lock', async () => {
  const address = lockAddress(folder, 'darwin');
  const script = `require('net').createServer().listen(${JSON.stringify(address)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', script]);
  expect(existsSync(address)).toBe(true);
  expect(await listen(address)).toBeUndefined();
  const server = await listen(address);
  expect(server).toBeDefined();
  expect(await listen(address)).toBeUndefined();
  server?.close();
});
