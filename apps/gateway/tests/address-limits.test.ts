import { rmSync } from 'node:fs';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { writeDocs } from './stand-in/built-docs';

describe('what one address may call without a key', () => {
  const docsDir = writeDocs();
  let booted: BootedGateway;
  beforeAll(async () => {
    // The clock is frozen, so that buckets do not refill; readiness probes are not limited.
    booted = await bootGateway({ monotonicMs: () => 1_000, config: { docsDir, publicRate: undefined, staticRate: undefined } });
  });
  let strays: BootedGateway;
  beforeAll(async () => {
    strays = await bootGateway({ monotonicMs: () => 1_000, config: { staticRate: undefined, trustedProxies: ['127.0.0.1'] } });
  });
  afterAll(async () => {
    await Promise.all([booted.close(), strays.close()]);
    rmSync(docsDir, { recursive: true });
  });

  it.each([
    ['/openapi.json', 30, '60 a minute with a burst of 30'],
    ['/docs/guides/credits', 200, '600 a minute with a burst of 200'],
  ])('%s: %d calls at once, and then 429', async (path, burst, says) => {
    // Identical answers: compressed ones are not validated against the document.
    const headers = { 'accept-encoding': 'gzip' };
    for (let call = 0; call < burst; call += 1) expect((await booted.get(path, { headers })).status).toBe(200);
    const refused = await booted.get(path);
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([
      429,
      '1',
      { code: 'rate_limited', detail: expect.stringContaining(says) },
    ]);
  });

  it.each([
    ['no route', '/nothing/here', 404],
    ['a route that needs a key', '/api/public/data/status/rights', 401],
    ['a method that a route does not take', '/livez', 405],
  ])('for %s: as many as static files, together, and then 429 with the end of the connection', async (_what, path, status) => {
    const address = `198.51.100.${status - 400}`;
    const ask = (to = path) => strays.get(to, { method: to === '/livez' ? 'POST' : 'GET', headers: { 'x-forwarded-for': address } });
    for (let call = 0; call < 199; call += 1) expect((await ask('/other')).status).toBe(404);
    expect((await ask()).status).toBe(status);
    const refused = await ask();
    expect([refused.status, refused.headers['retry-after'], refused.headers['connection'], refused.json()]).toMatchObject([
      429,
      '1',
      'close',
      { code: 'rate_limited' },
    ]);
    expect((await strays.keyed('/api/public/data/status/rights', { headers: { 'x-forwarded-for': address } })).status).toBe(200);
  });
});
