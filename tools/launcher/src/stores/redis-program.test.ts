import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer, installLine } from './redis-program';

const folder = mkdtempSync(join(tmpdir(), 'redis-program-'));
const path = process.env['PATH'];
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pathWith(...programs: string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const program of programs) writeFileSync(join(bin, program), '', { mode: 0o755 });
  mkdirSync(join(bin, 'empty'));
  return `${join(bin, 'empty')}:${bin}`;
}

test('redis-server on PATH is used, and valkey-server where there is no other', async () => {
  process.env['PATH'] = pathWith('valkey-server', 'redis-server');
  expect(await findRedisServer(() => undefined)).toMatch(/bin-\w+\/redis-server$/);
  process.env['PATH'] = pathWith('valkey-server');
  expect(await findRedisServer(() => undefined)).toMatch(/bin-\w+\/valkey-server$/);
});

test('where nothing can be installed, the error is the line to run', async () => {
  process.env['PATH'] = pathWith();
  await expect(findRedisServer(() => undefined)).rejects.toThrow(/No redis-server or valkey-server on PATH.*\n {2}sudo \S+ \S+/);
});

test.each([
  ['ID=debian', 'sudo apt-get install redis-server'],
  ['ID=ubuntu\nID_LIKE=debian', 'sudo apt-get install redis-server'],
  ['NAME="Alpine Linux"\nID=alpine', 'sudo apk add redis'],
  ['ID="rocky"\nID_LIKE="rhel centos fedora"', 'sudo dnf install valkey'],
  ['ID=arch', 'sudo pacman -S valkey'],
  ['ID="opensuse-leap"\nID_LIKE="suse opensuse"', 'sudo zypper install redis'],
])('the line for %j', (osRelease, line) => {
  expect(installLine(osRelease)).toBe(line);
});
