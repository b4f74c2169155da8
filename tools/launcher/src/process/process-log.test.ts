import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProcessLog } from './process-log';

const folder = mkdtempSync(join(tmpdir(), 'process-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a log is appended to, and rotated before it exceeds its maximum size', () => {
  const file = join(folder, 'logs', 'one.log');
  for (const text of ['12345\n', '67890\n']) {
    const log = openProcessLog(file, 12);
    log.write(Buffer.from(text));
    log.close();
  }
  const log = openProcessLog(file, 12);
  log.write(Buffer.from('next\n'));
  log.close();
  log.write(Buffer.from('after the end\n'));
  expect(readFileSync(file, 'utf8')).toBe('next\n');
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('12345\n67890\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
