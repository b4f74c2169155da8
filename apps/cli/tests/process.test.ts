import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BTC, BTC_DAY, createWorkplace } from './run';

const program = join(import.meta.dirname, '../bin/market-state.mjs');
const place = createWorkplace();
afterAll(() => place.remove());

function start(...args: readonly string[]): ChildProcess {
  return startIn({ cwd: place.folder }, ...args);
}

function startIn(where: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv }, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { ...where, stdio: ['ignore', 'pipe', 'pipe'] });
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

test('the program runs where the user stands and writes to stdout what the command writes, nothing more', async () => {
  expect((await place.run('rows', BTC_DAY, '--out', 'rows.ndjson')).exitCode).toBe(0);
  const child = start('label', 'rows.ndjson');
  const [stdout, [exitCode]] = await Promise.all([textOf(child.stdout), once(child, 'exit'), textOf(child.stderr)]);
  expect(exitCode).toBe(0);
  expect(stdout).toBe((await place.run('label', 'rows.ndjson')).stdout);
});

test('started by npx from inside a workspace, it still runs where the user stands', async () => {
  const env = { ...process.env, npm_lifecycle_event: 'npx', INIT_CWD: realpathSync(place.folder) };
  const child = startIn({ cwd: realpathSync(tmpdir()), env }, 'rows', 'rows.ndjson', '--out', 'again.ndjson');
  const [[exitCode]] = await Promise.all([once(child, 'exit'), textOf(child.stdout), textOf(child.stderr)]);
  expect(exitCode).toBe(0);
  expect(readFileSync(join(place.folder, 'again.ndjson'))).toEqual(readFileSync(join(place.folder, 'rows.ndjson')));
});

test('a reader that goes away ends it without a word', async () => {
  const child = start('rows', ...BTC);
  const stderr = textOf(child.stderr);
  child.stdout?.once('data', () => child.stdout?.destroy());
  const [exitCode] = (await once(child, 'exit')) as [number];
  expect({ exitCode, stderr: await stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('EPIPE') as string });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends it with %d', async (signal, expected) => {
  const child = start('scenario', 'balanced', '--hours', '700');
  child.stdout?.once('data', () => child.kill(signal));
  child.stdout?.resume();
  const [exitCode] = (await once(child, 'exit')) as [number];
  expect(exitCode).toBe(expected);
});
