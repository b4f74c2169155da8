import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { sharedTemporaryFolder } from './temporary-folder';

test('a run of tests has a temporary folder of its own, and what is made once for all runs is beside it', () => {
  expect(tmpdir()).toMatch(/\/market-state-\w{6}$/);
  expect(dirname(tmpdir())).toBe(sharedTemporaryFolder());
});
