import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { OIDC_COOKIE } from '../src/routes/account/account-deps';
import { OIDC_SECRET } from './stand-in/account-people';
import { type BootedGateway, bootGateway } from './stand-in/boot';

const AUTH = '/api/public/market-state/account/auth';
const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

describe('logins with the login provider', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
  });
  afterAll(() => booted.close());

  const post = (path: string, body: object | undefined, headers: Readonly<Record<string, string>> = PAGE) =>
    booted.get(`${AUTH}/oidc/${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

  const finish = (cookie?: string) =>
    post('finish', { query: 'code=x&state=x' }, cookie === undefined ? PAGE : { ...PAGE, cookie: `${OIDC_COOKIE}=${cookie}` });

  it('has a public name for its button', async () => {
    expect((await booted.get(`${AUTH}/options`)).json()).toMatchObject({ oidc: { name: 'Company login' } });
  });

  it('binds the login to the browser by a cookie that pages can neither read nor use from another site', async () => {
    const answer = await post('begin', {});
    expect([answer.status, answer.json()]).toMatchObject([200, { authorization_url: 'https://login.example/auth' }]);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(new RegExp(`^${OIDC_COOKIE}=${OIDC_SECRET}; Path=${AUTH}/oidc; Max-Age=\\d{3}; HttpOnly; SameSite=Strict`));
    expect(JSON.stringify(answer.json())).not.toContain(OIDC_SECRET);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('opens a session with the cookie only', async () => {
    expect([await finish(), await finish('x')].map(({ status }) => status)).toEqual([401, 401]);
    expect((await finish()).json()).toMatchObject({ code: 'oidc_refused' });
    const answer = await finish(OIDC_SECRET);
    expect(answer.status).toBe(200);
    const [session = ''] = String(answer.headers['set-cookie']).split(';');
    expect(session).toMatch(new RegExp(`^${SESSION_COOKIE}=.{43}$`));
    const me = await booted.get('/api/public/market-state/account/me', { headers: { cookie: session } });
    expect(me.json()).toMatchObject({ account: { email: 'ada@example.com' } });
  });

  it.each(['begin', 'finish'])('refuses %s from a page of another site', async (path) => {
    const headers = { ...PAGE, 'sec-fetch-site': 'cross-site', cookie: `${OIDC_COOKIE}=${OIDC_SECRET}` };
    const answer = await post(path, { query: 'code=x&state=x' }, headers);
    expect([answer.status, answer.json()]).toMatchObject([403, { code: 'csrf_refused' }]);
  });
});
