import { account as accountContract } from '@market-state/contracts';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { EMAIL_CODE } from './stand-in/account-people';
import { SEEDED_PASSWORD } from './stand-in/account-state';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import type { RawRequest, RawResponse } from './stand-in/http-client';

const ACCOUNT = '/api/public/market-state/account';
const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

describe('email changes', () => {
  let booted: BootedGateway;
  let cookie: string;
  beforeAll(async () => {
    booted = await bootGateway();
    cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
  });
  afterAll(() => booted.close());

  const send = (method: string, path: string, body: unknown, headers: RawRequest['headers'] = { cookie }): Promise<RawResponse> =>
    booted.get(ACCOUNT + path, { method, body: JSON.stringify(body), headers: { ...PAGE, ...headers } });

  it('changes the email of a session, and refuses a key, a wrong password and a wrong code', async () => {
    const change = { new_email: 'moved@example.com', current_password: SEEDED_PASSWORD };
    expect((await send('POST', '/email-change/request', change)).json()).toMatchObject({ accepted: true, mail_delivery: 'outbox_folder' });
    const wrong = await send('POST', '/email-change/request', { ...change, current_password: 'wrong' });
    expect(wrong.status).toBe(422);
    expect(wrong.json()).toMatchObject({ detail: [{ loc: ['body', 'current_password'], type: 'wrong_password' }] });
    expect((await send('POST', '/email-change/confirm', { code: 'x'.repeat(43) })).json()).toMatchObject({
      detail: [{ loc: ['body', 'code'], type: 'wrong_code' }],
    });
    const key = { 'x-market-state-api-key': booted.account.issue({ scopes: [accountContract.Scope.ACCOUNT] }) };
    expect((await send('POST', '/email-change/request', change, key)).json()).toMatchObject({ status: 409, code: 'conflict' });
    const changed = await send('POST', '/email-change/confirm', { code: EMAIL_CODE });
    expect(changed.json()).toMatchObject({ email: 'changed@example.com', ended_session_total: expect.any(Number) as number });
  });
});
