import { type BootedGateway, bootGateway } from './stand-in/boot';

describe('what one address may call without a key', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    // The clock stands still, so that nothing grows back; readiness probes are not limited.
    booted = await bootGateway({ monotonicMs: () => 1_000, config: { publicRate: undefined, staticRate: undefined } });
  });
  afterAll(() => booted.close());

  it.each([
    ['/openapi.json', 30, '60 a minute, 30 at once'],
    ['/docs', 200, '600 a minute, 200 at once'],
  ])('%s: %d calls at once, and then 429', async (path, burst, says) => {
    for (let call = 0; call < burst; call += 1) expect((await booted.get(path)).status).toBe(200);
    const refused = await booted.get(path);
    expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([429, '1', { code: 'rate_limited', detail: expect.stringContaining(says) }]);
  });
});
