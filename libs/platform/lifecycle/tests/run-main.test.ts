import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { CONFIG_EXIT_CODE } from '../src';

const MAIN = join(import.meta.dirname, 'main-fixture.ts');

async function run(mode: string): Promise<{ child: ChildProcess; output: () => string; line: (text: string) => Promise<void> }> {
  const child = spawn(process.execPath, ['--import', '@oxc-node/core/register', MAIN], {
    env: { ...process.env, MODE: mode },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    child,
    output: () => text,
    async line(wanted) {
      while (!text.includes(wanted) && child.stdout !== null) await once(child.stdout, 'data');
    },
  };
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

test.each(['SIGTERM', 'SIGINT'] as const)('%s closes what was started and ends with 0', async (signal) => {
  const { child, line, output } = await run('serve');
  await line('started');
  child.kill(signal);
  expect(await exitCode(child)).toBe(0);
  expect(output()).toContain('closed');
});

test('a stop during the start ends the wait and exits with 0', async () => {
  const { child, line } = await run('wait');
  await line('waiting');
  child.kill('SIGTERM');
  expect(await exitCode(child)).toBe(0);
});

test('bad configuration exits with its own code and names every variable', async () => {
  const { child, output } = await run('bad-config');
  expect(await exitCode(child)).toBe(CONFIG_EXIT_CODE);
  expect(output()).toContain('configuration is not valid');
  expect(output()).toContain('DATABASE_URL');
  expect(output()).toContain('REDIS_URL');
});

test('an unhandled rejection closes and ends with 1', async () => {
  const { child, output } = await run('reject');
  expect(await exitCode(child)).toBe(1);
  expect(output()).toContain('unhandled rejection');
  expect(output()).toContain('closed');
});
