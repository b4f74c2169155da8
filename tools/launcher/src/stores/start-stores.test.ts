import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from './start-stores';

const folder = mkdtempSync(join(tmpdir(), 'redis-program-'));
const path = process.env['PATH'];
afterEach(() => {
  process.env['PATH'] = path;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pathWith(...programs: string[]): string {
  const bin = mkdtempSync(join(folder, 'bin-'));
  for (const program of programs) writeFileSync(join(bin, program), '', { mode: 0o755 });
  return `${join(folder, 'empty')}:${bin}`;
}

test('redis-server on PATH is preferred to valkey-server', () => {
  process.env['PATH'] = pathWith('valkey-server', 'redis-server');
  expect(findRedisServer()).toMatch(/bin-\w+\/redis-server$/);
  process.env['PATH'] = pathWith('valkey-server');
  expect(findRedisServer()).toMatch(/bin-\w+\/valkey-server$/);
});

test('without either, the error says how to install it', () => {
  process.env['PATH'] = pathWith();
  expect(findRedisServer).toThrow('No redis-server or valkey-server is on PATH.');
});
