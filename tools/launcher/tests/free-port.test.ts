import { freePort } from '../src/index';

// Enough draws of 12,768 ports for a dozen random collisions.
const DRAWS = 600;

(process.platform === 'linux' ? test : test.skip)('a port is drawn only once, even before anything listens on it', async () => {
  const ports = await Promise.all(Array.from({ length: DRAWS }, freePort));
  expect(new Set(ports).size).toBe(DRAWS);
});
