import { type BootedGateway, bootGateway } from './stand-in/boot';

const LATEST = '/api/public/market-state/latest?symbol=BTCUSD-PERP';
const ME = '/api/public/market-state/account/me';
const SKEW_MS = 5 * 60_000;

describe.each([
  ['five minutes ahead of account', SKEW_MS],
  ['five minutes behind account', -SKEW_MS],
])('a gateway whose clock is %s', (_name, gatewayAheadMs) => {
  let booted: BootedGateway;
  let offsetMs = 0;
  beforeAll(async () => {
    booted = await bootGateway({ monotonicMs: () => performance.now() + offsetMs });
    booted.account.setAheadMs(-gatewayAheadMs);
  });
  afterAll(() => booted.close());

  const get = async (headers: Readonly<Record<string, string>>, path = LATEST): Promise<number> =>
    (await booted.get(path, { headers })).status;

  it('serves metered calls, from its first lease to the next ones', async () => {
    const key = { 'x-market-state-api-key': booted.key };
    expect(await get(key)).toBe(200);
    for (let jump = 0; jump < 4; jump += 1) {
      // Both clocks advance equally; a batch in flight is then late, and retried once answered.
      offsetMs += 30_000;
      booted.account.setAheadMs(-gatewayAheadMs + offsetMs);
      await booted.until(async () => (await get(key)) === 200);
    }
    expect(booted.account.credits.takeTotal()).toBeGreaterThan(1);
  });

  it('lets a key and a session in for as long as account does, and no longer', async () => {
    const accountNowMs = Date.now() - gatewayAheadMs + offsetMs;
    const key = { 'x-market-state-api-key': booted.account.issue({ expiresTsMs: accountNowMs + 60_000 }) };
    const session = { cookie: `svc_market_state_session=${booted.account.openSession()}` };
    expect(await get(key)).toBe(200);
    expect(await get(session, ME)).toBe(200);
    booted.account.setAheadMs(-gatewayAheadMs + offsetMs + 60_000);
    booted.account.breakStreams();
    await booted.until(async () => (await get(key)) === 401);
    expect(await get(session, ME)).toBe(200);
  });
});
