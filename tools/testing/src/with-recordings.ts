import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Registers tests on recordings that may not be part of the repository: they stand in `folder` of the folder that
 * RECORDINGS_DIR names. Where that is not set or not there, each test is reported as skipped, and counted so. `register`
 * runs either way and must not read files itself; the tests and their hooks may.
 */
export function withRecordings(folder: string, register: (path: string) => void): void {
  const root = process.env['RECORDINGS_DIR'] ?? '';
  const path = join(root, folder);
  const group = root !== '' && existsSync(path) ? describe : describe.skip;
  group(`recordings in ${folder}`, () => register(path));
}
