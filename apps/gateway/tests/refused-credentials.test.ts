import { randomBytes } from 'node:crypto';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const MARKET = '/api/public/market-state';
const LATEST = `${MARKET}/latest?symbol=BTCUSD-PERP`;
const BOOK = '/api/public/data/book/l2/latest?symbol=BTCUSD-PERP';
const TENANT = 'ten_1';

describe('refused credentials', () => {
  let booted: BootedGateway;
  let nowMs = 1_000_000;
  beforeEach(async () => {
    booted = await bootGateway({ monotonicMs: () => nowMs, config: { refusedRate: undefined, trustedProxies: ['127.0.0.1'] } });
  });
  afterEach(() => booted.close());

  const ask = (key: string, path = BOOK, address = '198.51.100.1'): Promise<RawResponse> =>
    booted.get(path, { headers: { 'x-market-state-api-key': key, 'x-forwarded-for': address } });
  const junk = (address?: string): Promise<RawResponse> => ask(booted.account.unknownKey(), BOOK, address);

  /** Sends 30 unknown keys from an address, exhausting its burst. */
  async function fill(address: string): Promise<void> {
    for (let call = 0; call < 30; call += 1) expect((await junk(address)).status).toBe(401);
  }

  it('are counted by address, and then answered with 429, without a look-up and without a charge', async () => {
    await fill('198.51.100.1');
    const before = booted.account.verifyTotal();
    expect((await junk()).status).toBe(429);
    const [refused, malformed, session] = [
      await junk(),
      await ask('nonsense'),
      await booted.get(LATEST, {
        headers: { cookie: `svc_market_state_session=${randomBytes(32).toString('base64url')}`, 'x-forwarded-for': '198.51.100.1' },
      }),
    ];
    for (const answer of [refused, malformed, session]) {
      expect([answer.status, answer.headers['retry-after'], answer.headers['x-credits-charged']]).toEqual([429, '1', undefined]);
      expect(answer.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('60 a minute with a burst of 30') });
    }
    expect(booted.account.verifyTotal()).toBe(before + 1);
    expect(booted.account.credits.spent(TENANT)).toBe(0);
    nowMs += 1_000;
    expect((await junk()).status).toBe(401);
    expect((await junk()).status).toBe(429);
  });

  it('of one IPv6 /64 count together, those of another address apart', async () => {
    await fill('2001:db8:0:1::1');
    expect((await junk('2001:db8:0:1:ffff::2')).status).toBe(429);
    expect((await junk('2001:db8:0:2::1')).status).toBe(401);
    expect((await junk('198.51.100.2')).status).toBe(401);
  });

  it('keep no known key of their address waiting, remembered or only seen before; a key never seen waits for the address', async () => {
    const [known, unseen] = [booted.account.issue(), booted.account.issue()];
    expect((await ask(known)).status).toBe(200);
    await fill('198.51.100.1');
    expect((await junk()).status).toBe(429);
    for (const path of [LATEST, BOOK]) expect((await ask(known, path)).status).toBe(200);
    const before = booted.account.verifyTotal();
    booted.account.changeTenant(TENANT);
    await booted.until(async () => (await ask(known)).status === 200 && booted.account.verifyTotal() > before);
    expect((await ask(unseen)).status).toBe(429);
    expect((await ask(unseen, BOOK, '198.51.100.2')).status).toBe(200);
    expect((await ask(unseen)).status).toBe(200);
  });

  it('do not count when they are good: many callers share an address', async () => {
    for (let caller = 0; caller < 60; caller += 1) expect((await ask(booted.account.issue())).status).toBe(200);
    expect((await junk()).status).toBe(401);
  });

  it('are remembered as unknown for 10 s, or until the key is made', async () => {
    const key = booted.account.unknownKey();
    const before = booted.account.verifyTotal();
    for (let call = 0; call < 5; call += 1) expect((await ask(key)).status).toBe(401);
    expect(booted.account.verifyTotal()).toBe(before + 1);
    nowMs += 10_000;
    expect((await ask(key)).status).toBe(401);
    expect(booted.account.verifyTotal()).toBe(before + 2);
    booted.account.adopt(key);
    await booted.until(async () => (await ask(key)).status === 200);
  });
});

describe('look-ups of unknown credentials', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  const ask = (key: string, path = BOOK): Promise<RawResponse> => booted.get(path, { headers: { 'x-market-state-api-key': key } });

  it('go ten at once, hold up no known key, and are refused with 503 beyond those that may wait', async () => {
    const seen = booted.account.issue({ tenantId: 'ten_2' });
    expect((await ask(seen)).status).toBe(200);
    expect((await ask(booted.key)).status).toBe(200);
    booted.account.holdUnknown(true);
    const junk = Array.from({ length: 150 }, () => ask(booted.account.unknownKey()));
    await booted.until(() => booted.account.heldTotal() === 10);
    for (const path of [LATEST, BOOK]) expect((await ask(booted.key, path)).status).toBe(200);
    const before = booted.account.verifyTotal();
    booted.account.changeTenant('ten_2');
    await booted.until(async () => (await ask(seen)).status === 200 && booted.account.verifyTotal() > before);
    expect(booted.account.heldTotal()).toBeLessThanOrEqual(10);
    const answers = await Promise.all(junk);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503, 504]));
    const busy = answers.filter(({ status }) => status === 503);
    expect(busy.length).toBeGreaterThanOrEqual(40);
    for (const answer of busy) expect([answer.headers['retry-after'], answer.json()]).toMatchObject(['1', { code: 'overloaded' }]);
    booted.account.holdUnknown(false);
    expect((await ask(booted.account.unknownKey())).status).toBe(401);
    expect((await ask(booted.account.issue())).status).toBe(200);
  });
});
