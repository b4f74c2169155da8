import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeFiles } from './image-suite';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'judge-'));
  for (const root of ['base', 'image']) put(root, 'etc/hosts', 'localhost');
  put('image', 'app/dist/program.cjs', "'use strict';");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function put(root: string, path: string, text: string): void {
  const file = join(folder, root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o644);
}

/** Faults except owners, which depend on the user running this test. */
function faults(): readonly string[] {
  const found = judgeFiles('notes', join(folder, 'image'), join(folder, 'base'), { 'a path of this machine': '/home/me/work' });
  return found.faults.filter((fault) => !fault.includes('users other than root') || fault.includes('100666'));
}

test('files of the base and a correct program have no fault', () => {
  expect(faults()).toEqual([]);
});

test.each([
  ['a path of this machine', "read('/home/me/work/apps')"],
  ['an API key', `msk_live_${'aB3'.repeat(15)}x`],
  ['a webhook secret', `whsec_${'aB3'.repeat(14)}x=`],
  ['a private key', `-----BEGIN PRIVATE KEY-----\n${'aB3'.repeat(20)}`],
  ['a token of npm', '//registry.example/:_authToken=abc'],
  ['a URL with a password', 'postgresql://account:correct-horse@db.example/account'],
])('reports %s in a file', (what, text) => {
  put('image', 'app/dist/program.cjs', text);
  expect(faults()).toEqual([`notes: /app/dist/program.cjs has ${what}.`]);
});

test('ignores an example key', () => {
  put('image', 'app/dist/program.cjs', `msk_live_1gh${'0'.repeat(39)}KGS5`);
  expect(faults()).toEqual([]);
});

test("reports files beyond the base's and ours, and a changed base file", () => {
  put('image', 'etc/passwd', 'root');
  put('image', 'etc/hosts', 'elsewhere');
  expect(faults().map((fault) => /^notes has (\S+)/.exec(fault)?.[1])).toEqual(['/etc/hosts', '/etc/passwd']);
});

test('reports a world-writable program, and a file among the data', () => {
  chmodSync(join(folder, 'image/app/dist/program.cjs'), 0o666);
  put('image', 'data/left', 'over');
  expect(faults().some((fault) => fault.includes('/app/dist/program.cjs 13 100666'))).toBe(true);
  expect(faults().some((fault) => fault.includes('/data/left') && fault.endsWith("is no empty folder of the user's."))).toBe(true);
});
