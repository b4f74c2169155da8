import { account as accountContract } from '@market-state/contracts';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { operations } from '../src/serving/openapi/operations';
import { GOOD_SIGNATURE } from './stand-in/account-billing';
import { answerFault } from './stand-in/answer-check';
import { CLAIM_TOKEN, RESET_TOKEN, UNVERIFIED_EMAIL } from './stand-in/account-people';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { goodRequest, NEEDS_SESSION, seedGoodRequests } from './stand-in/good-requests';
import type { RawRequest, RawResponse } from './stand-in/http-client';

const ACCOUNT = '/api/public/market-state/account';
const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

describe('account routes', () => {
  let booted: BootedGateway;
  let cookie: string;
  beforeAll(async () => {
    booted = await bootGateway();
    seedGoodRequests(booted.account);
    cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
  });
  afterAll(() => booted.close());

  const send = (method: string, path: string, body: unknown, headers: RawRequest['headers'] = { cookie }): Promise<RawResponse> =>
    booted.get(ACCOUNT + path, { method, body: JSON.stringify(body), headers: { ...PAGE, ...headers } });

  it.each(operations.filter(({ path }) => path.startsWith(ACCOUNT)).map((operation) => [operation.operationId, operation] as const))(
    '%s answers what the document describes, names every field, and lets nothing keep it',
    async (_id, operation) => {
      seedGoodRequests(booted.account);
      const { path, ...request } = goodRequest(operation, 0);
      // One of them deletes its account.
      const ownCookie = () => `${SESSION_COOKIE}=${booted.account.openSession('own@example.com')}`;
      const response = NEEDS_SESSION.has(operation.operationId)
        ? await booted.get(path, { ...request, headers: { ...request.headers, cookie: ownCookie() } })
        : await booted.keyed(path, request);
      expect(response.status).toBe(200);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(answerFault(path, request, response)).toBeNull();
    },
  );

  it('returns a session only in the cookie, which pages cannot read', async () => {
    const opened = await send('POST', '/auth/login', { email: 'seeded@example.com', password: 'correct horse battery' }, {});
    const [set = ''] = opened.headers['set-cookie'] ?? [];
    expect(set).toMatch(new RegExp(`^${SESSION_COOKIE}=[\\w-]{43}; Path=/; Max-Age=864\\d\\d; HttpOnly; SameSite=Lax$`));
    expect(opened.text).not.toContain(set.slice(SESSION_COOKIE.length + 1, SESSION_COOKIE.length + 44));
    const session = { cookie: set.split(';')[0] ?? '' };
    expect((await booted.get(`${ACCOUNT}/me`, { headers: session })).json()).toMatchObject({
      credential: 'account_session',
      account: { email: 'seeded@example.com' },
    });
    const ended = await send('POST', '/auth/logout', {}, session);
    expect(ended.headers['set-cookie']).toEqual([`${SESSION_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`]);
    expect((await booted.get(`${ACCOUNT}/me`, { headers: session })).status).toBe(401);
  });

  it('lists the open sessions of the account, and ends one of them by its id, or all in one call', async () => {
    const credentials = { email: 'everywhere@example.com', password: 'correct horse battery' };
    await send('POST', '/auth/claim', { ...credentials, claim_token: CLAIM_TOKEN }, {});
    const opened = await Promise.all([1, 2, 3].map(() => send('POST', '/auth/login', credentials, {})));
    const [own = {}, lost = {}, third = {}] = opened.map(({ headers }) => ({ cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' }));
    const me = await booted.get(`${ACCOUNT}/me`, { headers: lost });
    const { sessions } = me.json<{ readonly sessions: readonly { readonly session_id: string; readonly current: boolean }[] }>();
    const [current, ...more] = sessions.filter((session) => session.current);
    expect([more, sessions.length >= 3]).toEqual([[], true]);
    const end = () => booted.get(`${ACCOUNT}/sessions/${current?.session_id}`, { method: 'DELETE', headers: { ...PAGE, ...own } });
    expect((await end()).json()).toMatchObject({ session_id: current?.session_id, ended: true });
    expect((await end()).status).toBe(404);
    const statuses = () => Promise.all([own, lost, third].map(async (headers) => (await booted.get(`${ACCOUNT}/me`, { headers })).status));
    expect(await statuses()).toEqual([200, 401, 200]);
    expect((await send('POST', '/auth/logout?everywhere=true', {}, own)).status).toBe(200);
    expect(await statuses()).toEqual([401, 401, 401]);
    expect((await booted.keyed(`${ACCOUNT}/me`)).json()).toMatchObject({ sessions: [] });
  });

  it('returns the plan, its credits and its end on claim, login and request', async () => {
    const plan = {
      plan_id: 'public_pro',
      tier: 'Pro',
      credits: { market_state: 1_000_000, export: 5_000 },
      credit_period: 'month',
      renews_utc: '2027-01-15T08:00:00.000Z',
      ends_utc: null,
    };
    const credentials = { email: 'planned@example.com', password: 'correct horse battery' };
    expect((await send('POST', '/auth/claim', { ...credentials, claim_token: CLAIM_TOKEN }, {})).json()).toMatchObject({ plan });
    const opened = await send('POST', '/auth/login', credentials, {});
    expect(opened.json()).toMatchObject({ plan });
    const session = { cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
    expect((await booted.get(`${ACCOUNT}/me`, { headers: session })).json()).toMatchObject({
      plan,
      balances: [{ credit_kind: 'market_state' }, { credit_kind: 'export', available: 5_000, held: 0, leased_to_gateways: 0 }],
    });
  });

  it('sends no cookie and no account where the email must be verified first', async () => {
    const answer = await send('POST', '/auth/claim', { email: UNVERIFIED_EMAIL, password: 'correct horse battery' }, {});
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined]);
    expect(Object.keys(answer.json())).toEqual(['verification_sent', 'mail_delivery', 'meta']);
    expect(answer.json()).toMatchObject({ verification_sent: true, mail_delivery: 'outbox_folder' });
    expect(responseCheck('ClaimAnswer')(answer.json())).toBeNull();
  });

  it('names the keys that a reset has revoked', async () => {
    const resetting = await bootGateway();
    try {
      seedGoodRequests(resetting.account);
      const answer = await resetting.get(`${ACCOUNT}/auth/password-reset/confirm`, {
        method: 'POST',
        body: JSON.stringify({ reset_token: RESET_TOKEN, new_password: 'x'.repeat(12) }),
        headers: PAGE,
      });
      const spare = { key_id: 'key_spare', name: 'A key', display: expect.stringMatching(/^msk_\S+…\w{4}$/) as string };
      expect(answer.json()).toMatchObject({
        ended_session_total: 1,
        revoked_keys: expect.arrayContaining([expect.objectContaining(spare)]) as object[],
        closed_accounts: [],
      });
    } finally {
      await resetting.close();
    }
  });

  it.each([
    ['/auth/claim', { email: 'a@b.c', password: 'x'.repeat(12), api_key: 'nonsense' }, 'claim_refused'],
    ['/auth/claim', { email: 'a@b.c', password: 'x'.repeat(12), claim_token: 'nonsense' }, 'claim_refused'],
    ['/auth/login', { email: 'a@b.c', password: 'x' }, 'login_refused'],
    ['/auth/login', { email: 'seeded@example.com', password: 'x' }, 'login_refused'],
    ['/auth/password-reset/confirm', { reset_token: 'x'.repeat(20), new_password: 'x'.repeat(12) }, 'reset_refused'],
  ])('%s of %j is 401 in one sentence', async (path, body, code) => {
    const response = await send('POST', path, body, { 'x-request-id': 'same' });
    const [first] = [
      await send(
        'POST',
        path,
        { ...body, email: undefined, ...('email' in body ? { email: 'other@example.com' } : {}) },
        { 'x-request-id': 'same' },
      ),
    ];
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe('MarketStateAccountSession realm="market-state"');
    expect(response.json()).toMatchObject({ code });
    expect(response.text).toBe(first.text);
  });

  it.each(['/auth/login', '/auth/claim'])('%s without a body is 422', async (path) => {
    const response = await booted.get(`${ACCOUNT}${path}`, { method: 'POST' });
    expect([response.status, response.json()]).toEqual([
      422,
      expect.objectContaining({ detail: [expect.objectContaining({ loc: ['body'] })] }),
    ]);
  });

  it('opens and changes nothing for another site', async () => {
    for (const path of ['/auth/login', '/auth/claim']) {
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'content-type': 'text/plain' }] as readonly Readonly<
        Record<string, string>
      >[]) {
        expect((await send('POST', path, { email: 'a@b.c', password: 'x'.repeat(12) }, headers)).json()).toMatchObject({
          status: 403,
          code: 'csrf_refused',
        });
      }
    }
  });

  it('opens a session for a plain client that sends only JSON, not with a session cookie', async () => {
    seedGoodRequests(booted.account);
    const login = { method: 'POST', body: JSON.stringify({ email: 'seeded@example.com', password: 'correct horse battery' }) };
    const json = { 'content-type': 'application/json' };
    expect((await booted.get(`${ACCOUNT}/auth/login`, { ...login, headers: json })).status).toBe(200);
    expect((await booted.get(`${ACCOUNT}/auth/login`, { ...login, headers: { ...json, cookie } })).json()).toMatchObject({
      status: 403,
      code: 'csrf_refused',
    });
    expect((await booted.get(`${ACCOUNT}/auth/login`, login)).json()).toMatchObject({ status: 403, code: 'csrf_refused' });
    const claim = {
      method: 'POST',
      body: JSON.stringify({ email: 'plain@example.com', password: 'x'.repeat(12), claim_token: CLAIM_TOKEN }),
      headers: json,
    };
    expect((await booted.get(`${ACCOUNT}/auth/claim`, claim)).status).toBe(200);
    const change = { method: 'POST', body: JSON.stringify({ name: 'n', scopes: ['read'] }), headers: { ...json, cookie } };
    expect((await booted.get(`${ACCOUNT}/keys`, change)).json()).toMatchObject({ status: 403, code: 'csrf_refused' });
  });

  it('hands an event of the billing provider on in its very bytes', async () => {
    const body = '{ "id" : "evt_1",\n"n":1.0,  "é": "\\u00e9" }';
    const response = await booted.get(`${ACCOUNT}/billing/webhook`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'stripe-signature': GOOD_SIGNATURE },
    });
    expect(response.json()).toMatchObject({ received: true });
    expect(booted.account.billingEvents().at(-1)?.toString('utf8')).toBe(body);
    const unsigned = await booted.get(`${ACCOUNT}/billing/webhook`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(unsigned.json()).toMatchObject({ status: 401, code: 'billing_signature_refused' });
  });

  it('stores only the named fields of a checkout session', async () => {
    const order = await send('POST', '/billing/checkout-session', {
      plan_id: 'public_pro',
      billing_interval: 'year',
      checkout_source_id: 'src',
      secret_of_caller: 'x',
    });
    expect(order.json()).toMatchObject({ plan_id: 'public_pro', billing_interval: 'year', amount_cents: 199_000 });
    expect(booted.account.checkouts().at(-1)).toMatchObject({ tenantId: 'ten_1', references: { checkout_source_id: 'src' } });
    expect(JSON.stringify(booted.account.checkouts())).not.toContain('secret_of_caller');
  });

  describe('with an Idempotency-Key', () => {
    const key = (name: string) => ({ cookie, 'idempotency-key': name });

    it('answers a repeated call with the same bytes in any field order, and creates one key', async () => {
      const total = async () => (await booted.get(`${ACCOUNT}/keys`, { headers: { cookie } })).json<{ row_total: number }>().row_total;
      const before = await total();
      const first = await send('POST', '/keys', { name: 'n', scopes: ['read'] }, key('one'));
      const second = await send('POST', '/keys', { scopes: ['read'], name: 'n' }, key('one'));
      expect(second.text).toBe(first.text);
      expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true']);
      expect(await total()).toBe(before + 1);
    });

    it('refuses the key with another body, and keeps no refusal', async () => {
      await send('POST', '/keys', { name: 'n', scopes: ['read'] }, key('two'));
      expect((await send('POST', '/keys', { name: 'm', scopes: ['read'] }, key('two'))).json()).toEqual({
        detail: [
          {
            loc: ['header', 'idempotency-key'],
            msg: 'was used for another call with a different body, query or path',
            type: 'idempotency_mismatch',
          },
        ],
        fault_total: 1,
      });
      expect((await send('POST', '/keys', { name: '' }, key('three'))).status).toBe(422);
      expect((await send('POST', '/keys', { name: 'n', scopes: ['read'] }, key('three'))).status).toBe(200);
    });

    it('lets one of many equal calls run: the others wait or get its answer', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send('POST', '/keys', { name: 'n', scopes: ['read'] }, key('many'))),
      );
      const made = answers.filter(({ status }) => status === 200);
      expect(new Set(made.map(({ text }) => text)).size).toBe(1);
      for (const waiting of answers.filter(({ status }) => status !== 200)) {
        expect(waiting.json()).toMatchObject({ status: 409, code: 'idempotency_in_flight' });
        expect(waiting.headers['retry-after']).toBe('1');
      }
    });

    it.each(['', 'x'.repeat(256), 'a b', 'é'])('refuses the key %j', async (name) => {
      expect(
        (await send('POST', '/keys', { name: 'n', scopes: ['read'] }, { cookie, 'idempotency-key': Buffer.from(name).toString('latin1') }))
          .status,
      ).toBe(422);
    });

    it('takes a text that is not whole for a fault', async () => {
      const body = '{"name":"\\ud800","scopes":["read"]}';
      const response = await booted.get(`${ACCOUNT}/keys`, { method: 'POST', body, headers: { ...PAGE, ...key('lone') } });
      expect(response.json()).toEqual({
        detail: [{ loc: ['body', 'name'], msg: 'contains half of a character (a lone surrogate)', type: 'ill_formed_text' }],
        fault_total: 1,
      });
    });
  });

  it('forgets a session that account says has ended, and every grant of a tenant that changed', async () => {
    const session = booted.account.openSession('gone@example.com');
    const headers = { cookie: `${SESSION_COOKIE}=${session}` };
    expect((await booted.get(`${ACCOUNT}/me`, { headers })).status).toBe(200);
    booted.account.endSession(session);
    await booted.until(async () => (await booted.get(`${ACCOUNT}/me`, { headers })).status === 401);
    const changing = booted.account.issue({ tenantId: 'ten_2', scopes: [accountContract.Scope.ACCOUNT] });
    const ask = () => booted.get(`${ACCOUNT}/me`, { headers: { 'x-market-state-api-key': changing } });
    await ask();
    const before = booted.account.verifyTotal();
    await ask();
    expect(booted.account.verifyTotal()).toBe(before);
    booted.account.changeTenant('ten_2');
    await booted.until(async () => (await ask()).status === 200 && booted.account.verifyTotal() === before + 1);
  });
});
