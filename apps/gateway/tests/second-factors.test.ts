import { account as accountContract } from '@market-state/contracts';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { FACTOR_CODE } from './stand-in/account-people';
import { SEEDED_PASSWORD } from './stand-in/account-state';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawRequest, RawResponse } from './stand-in/http-client';

const ACCOUNT = '/api/public/market-state/account';
const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

describe('second factors', () => {
  let booted: BootedGateway;
  let cookie: string;
  beforeAll(async () => {
    booted = await bootGateway();
    cookie = `${SESSION_COOKIE}=${booted.account.openSession('seeded@example.com')}`;
  });
  afterAll(() => booted.close());

  const send = (path: string, body: unknown, headers: RawRequest['headers'] = { cookie }): Promise<RawResponse> =>
    booted.get(ACCOUNT + path, { method: 'POST', body: JSON.stringify(body), headers: { ...PAGE, ...headers } });
  const logIn = (body: object) => send('/auth/login', { email: 'seeded@example.com', password: SEEDED_PASSWORD, ...body }, {});

  it('is turned on by a session, needed at login and turned off; secrets are answered once and not cached', async () => {
    const password = { current_password: SEEDED_PASSWORD };
    const created = await send('/second-factor/begin', password);
    expect(created.json()).toMatchObject({
      secret: expect.any(String) as string,
      otpauth_uri: expect.stringMatching(/^otpauth:/) as string,
    });
    expect(created.headers['cache-control']).toContain('no-store');
    const codes = { recovery_codes: expect.arrayContaining([expect.any(String)]) as string[] };
    expect((await send('/second-factor/confirm', { code: FACTOR_CODE })).json()).toMatchObject({ ...codes, ended_session_total: 0 });
    expect((await logIn({})).json()).toMatchObject({ status: 401, code: 'second_factor_required' });
    expect((await logIn({ code: '654321' })).json()).toMatchObject({ status: 401, code: 'login_refused' });
    expect((await logIn({ code: FACTOR_CODE })).status).toBe(200);
    expect((await send('/second-factor/recovery-codes', { ...password, code: FACTOR_CODE })).json()).toMatchObject(codes);
    const wrong = await send('/second-factor/disable', { ...password, code: '654321' });
    expect(wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'code'], type: 'wrong_code' }] });
    expect((await send('/second-factor/disable', { ...password, code: FACTOR_CODE })).json()).toMatchObject({
      second_factor_enabled: false,
    });
    expect((await logIn({})).status).toBe(200);
  });

  it('refuses a key', async () => {
    const key = { 'x-market-state-api-key': booted.account.issue({ scopes: [accountContract.Scope.ACCOUNT] }) };
    const answer = await send('/second-factor/begin', { current_password: SEEDED_PASSWORD }, key);
    expect(answer.json()).toMatchObject({ status: 409, code: 'conflict' });
  });
});
