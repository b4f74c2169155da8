import { freePort } from '../src/index';

// Of so many draws of 12,768 ports a dozen would be the same.
const DRAWS = 600;

(process.platform === 'linux' ? test : test.skip)('a port is drawn once, though nobody listens on it yet', async () => {
  const ports = await Promise.all(Array.from({ length: DRAWS }, freePort));
  expect(new Set(ports).size).toBe(DRAWS);
});
