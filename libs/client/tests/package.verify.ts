import { rmSync } from 'node:fs';
import { makePackage, typeFaults } from './made-package';

let folder: string;
beforeAll(async () => {
  folder = await makePackage();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('has types that TypeScript 6 reads, whole', async () => {
  expect(await typeFaults(folder, 'typescript', 'bundler')).toBe('');
});
