import { Agent, get } from 'node:http';
import { account as accountContract } from '@market-state/contracts';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawResponse } from './stand-in/http-client';

const LATEST = '/api/public/market-state/latest';
const BOOK = '/api/public/data/book/l2/latest';

describe('credentials', () => {
  let booted: BootedGateway;
  let offsetMs = 0;
  let wallMs = 0;
  beforeEach(async () => {
    offsetMs = 0;
    wallMs = Date.now();
    booted = await bootGateway({ monotonicMs: () => performance.now() + offsetMs, now: () => wallMs });
  });
  afterEach(() => booted.close());

  const withKey = (key: string, path = LATEST): Promise<RawResponse> =>
    booted.get(path, { headers: { 'x-market-state-api-key': key, 'x-request-id': 'same' } });

  function withoutClock(response: RawResponse): unknown {
    const { date, ...headers } = response.headers;
    expect(date).toBeDefined();
    return { status: response.status, headers, text: response.text };
  }

  it('answers every bad credential with the same bytes and headers', async () => {
    const revoked = booted.account.issue();
    booted.account.revoke(revoked);
    const expired = booted.account.issue({ expiresTsMs: 1_000 });
    const good = booted.key;
    const badChecksum = good.slice(0, -1) + (good.endsWith('0') ? '1' : '0');
    const absent = await booted.get(LATEST, { headers: { 'x-request-id': 'same' } });
    expect(absent.status).toBe(401);
    expect(absent.headers['www-authenticate']).toContain('x-market-state-api-key');
    expect(absent.json()).toMatchObject({ code: 'unauthenticated', status: 401, request_id: 'same' });
    const cookie = await booted.get(LATEST, { headers: { cookie: 'svc_market_state_session=abc', 'x-request-id': 'same' } });
    const twice = await booted.get(LATEST, { headers: { 'x-market-state-api-key': [good, good], 'x-request-id': 'same' } });
    const others = [
      cookie,
      twice,
      await withKey(revoked),
      await withKey(expired),
      await withKey(badChecksum),
      await withKey(booted.account.unknownKey()),
      await withKey('nonsense'),
      await withKey(''),
    ];
    for (const other of others) expect(withoutClock(other)).toEqual(withoutClock(absent));
  });

  it('answers 401 before it looks at parameters, and the same on the data plane', async () => {
    expect((await booted.get(`${BOOK}?depth=0`)).status).toBe(401);
    expect((await booted.get(`${BOOK}?depth=0`)).json()).toMatchObject({ code: 'unauthenticated' });
  });

  it('asks account nothing about a key with a bad shape or checksum', async () => {
    const before = booted.account.verifyTotal();
    for (const key of ['x', `msk_live_${'a'.repeat(46)}`, booted.key.toUpperCase()]) expect((await withKey(key, BOOK)).status).toBe(401);
    expect(booted.account.verifyTotal()).toBe(before);
  });

  it('asks account once for a good key, then remembers', async () => {
    const key = booted.account.issue();
    const before = booted.account.verifyTotal();
    for (let call = 0; call < 5; call += 1) expect((await withKey(key)).status).toBe(200);
    expect(booted.account.verifyTotal()).toBe(before + 1);
  });

  it('asks account once for a new key on calls that come together', async () => {
    const key = booted.account.issue();
    const before = booted.account.verifyTotal();
    const answers = await Promise.all(Array.from({ length: 40 }, () => withKey(key)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(booted.account.verifyTotal()).toBe(before + 1);
  });

  it('refuses a revoked key as soon as account says so', async () => {
    const key = booted.account.issue();
    expect((await withKey(key)).status).toBe(200);
    booted.account.revoke(key);
    await booted.until(async () => (await withKey(key)).status === 401);
  });

  it('refuses on the connection on which it was good a moment ago a key that was revoked, and serves another one there', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    const ask = (key: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = get(booted.gateway.url + LATEST, { agent, headers: { 'x-market-state-api-key': key } }, (response) => {
          ports.add(response.socket.localPort);
          response.resume().on('end', () => resolve(response.statusCode));
        });
        request.on('error', reject);
      });
    const [key, other] = [booted.account.issue(), booted.account.issue()];
    expect([await ask(key), await ask(key), await ask(other), await ask(key), await ask(`${key}x`)]).toEqual([200, 200, 200, 200, 401]);
    booted.account.revoke(key);
    await booted.until(async () => (await ask(key)) === 401);
    expect([await ask(other), await ask(key)]).toEqual([200, 401]);
    expect(ports.size).toBe(1);
    agent.destroy();
  });

  it('refuses a remembered key once it has expired', async () => {
    const hourMs = 3_600_000;
    const key = booted.account.issue({ expiresTsMs: wallMs + hourMs });
    wallMs += hourMs - 1;
    expect((await withKey(key)).status).toBe(200);
    wallMs += 1;
    booted.account.setAheadMs(hourMs);
    await booted.until(async () => (await withKey(key)).status === 401);
  });

  it('trusts no remembered grant once the stream of changes was silent for more than 3 s', async () => {
    const key = booted.account.issue();
    await withKey(key);
    booted.account.setSilent(true);
    // A heartbeat in flight arrives before the answers of these calls.
    for (let call = 0; call < 2; call += 1) await withKey(booted.account.unknownKey());
    offsetMs = 3_001;
    const before = booted.account.verifyTotal();
    await withKey(key);
    await withKey(key);
    expect(booted.account.verifyTotal()).toBe(before + 2);
  });

  /** The next stream is silent too. */
  async function breakForGood(): Promise<void> {
    booted.account.setSilent(true);
    booted.account.breakStreams();
    await booted.until(() => booted.account.watcherTotal() === 0);
    await booted.until(() => booted.account.watcherTotal() === 1);
  }

  it('trusts what it remembers while the stream of changes is broken, until nothing was heard for more than 3 s', async () => {
    const key = booted.account.issue();
    await withKey(key);
    const before = booted.account.verifyTotal();
    await breakForGood();
    expect((await withKey(key)).status).toBe(200);
    expect(booted.account.verifyTotal()).toBe(before);
    offsetMs = 3_001;
    expect((await withKey(key)).status).toBe(200);
    expect(booted.account.verifyTotal()).toBe(before + 1);
  });

  it('forgets every grant when a stream of changes follows one that broke', async () => {
    const key = booted.account.issue();
    await withKey(key);
    const before = booted.account.verifyTotal();
    booted.account.breakStreams();
    await booted.until(async () => {
      expect((await withKey(key)).status).toBe(200);
      return booted.account.verifyTotal() === before + 1;
    });
  });

  /** A previously valid key, while account is unavailable and cached grants are not trusted. */
  async function keyWhileAway(): Promise<string> {
    const key = booted.account.issue();
    await withKey(key);
    await breakForGood();
    offsetMs = 3_001;
    booted.account.setDown(true);
    return key;
  }

  it('lets a call with an accepted key wait while account is unavailable', async () => {
    const key = await keyWhileAway();
    const before = booted.account.verifyTotal();
    const [waiting, unknown] = [withKey(key), withKey(booted.account.issue())];
    await booted.until(() => booted.account.verifyTotal() > before + 5);
    booted.account.setDown(false);
    expect((await waiting).status).toBe(200);
    expect((await unknown).status).toBe(503);
  });

  it('lets it wait while account hangs, as while it is away', async () => {
    const key = booted.account.issue();
    await withKey(key);
    await breakForGood();
    offsetMs = 3_001;
    booted.account.setHung(true);
    const before = booted.account.verifyTotal();
    const waiting = withKey(key);
    await booted.until(() => booted.account.verifyTotal() > before + 1);
    booted.account.setHung(false);
    expect((await waiting).status).toBe(200);
  });

  it('lets it wait no longer than 5 s', async () => {
    const key = await keyWhileAway();
    const before = booted.account.verifyTotal();
    const waiting = withKey(key);
    await booted.until(() => booted.account.verifyTotal() > before + 1);
    offsetMs += 5_001;
    expect((await waiting).status).toBe(503);
  });

  it('answers 503 with Retry-After when account is unavailable', async () => {
    booted.account.setDown(true);
    const response = await withKey(booted.account.issue());
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('1');
    expect(response.json()).toMatchObject({ code: 'upstream_unavailable' });
  });

  it('answers 403 to a good key without the scope', async () => {
    const key = booted.account.issue({ scopes: [accountContract.Scope.EXPORT] });
    const response = await withKey(key);
    expect(response.status).toBe(403);
    expect(response.json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('lets the key decide when a cookie comes along', async () => {
    expect((await booted.keyed(LATEST, { headers: { cookie: 'svc_market_state_session=abc' } })).status).toBe(200);
  });
});
