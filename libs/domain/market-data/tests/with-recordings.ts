import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Tests are skipped without RECORDINGS_DIR. `register` always runs and must not read files itself; its tests and hooks
 * may.
 */
export function withRecordings(folder: string, register: (path: string) => void): void {
  const root = process.env['RECORDINGS_DIR'] ?? '';
  const path = join(root, folder);
  const group = root !== '' && existsSync(path) ? describe : describe.skip;
  group(`recordings in ${folder}`, () => register(path));
}
