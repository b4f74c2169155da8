import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createWorkplace, type Workplace } from './run';

let place: Workplace;
beforeEach(() => {
  place = createWorkplace();
});
afterEach(() => place.remove());

const SCENARIO = ['scenario', 'calm', '--hours', '0.01', '--out'];

test('a pipe is written as it goes, and is a pipe afterwards', async () => {
  const pipe = join(place.folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
  const read = text(reader.stdout);
  const exited = once(reader, 'exit');
  expect(await place.run(...SCENARIO, 'pipe')).toMatchObject({ exitCode: 0, stdout: '' });
  await exited;
  expect((await read).split('\n')[0]).toContain('"schema":"market_state_row.v1"');
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('behind a symbolic link the file it names is written', async () => {
  place.write('rows.ndjson', 'old\n');
  symlinkSync('rows.ndjson', join(place.folder, 'link'));
  expect((await place.run(...SCENARIO, 'link')).exitCode).toBe(0);
  expect(lstatSync(join(place.folder, 'link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(place.folder, 'rows.ndjson'), 'utf8')).toContain('"schema":"market_state_row.v1"');
});

test('a folder is refused by name and stays as it was', async () => {
  expect(await place.run(...SCENARIO, '.')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('.: cannot be written (EISDIR)') as unknown,
  });
});
