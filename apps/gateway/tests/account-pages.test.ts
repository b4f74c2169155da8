import { type BrowserPage, findChromium, openBrowserPage } from '@market-state/testing';
import { SESSION_COOKIE } from '../src/serving/auth/credential';
import { SEEDED_PASSWORD } from './stand-in/account-state';
import { join } from 'node:path';
import { CLAIM_TOKEN, RESET_TOKEN, UNVERIFIED_EMAIL } from './stand-in/account-people';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { seedGoodRequests } from './stand-in/good-requests';

/** Where pictures of the pages go, for those who want to look at them; none are made without it. */
const PICTURES_DIR = process.env['PICTURES_DIR'];

/** Counted as skipped where there is no browser. */
const inBrowser = findChromium() === null ? describe.skip : describe;

const SIZES = [
  ['desktop', 'light', { width: 1_400, height: 1_000, mobile: false }],
  ['desktop', 'dark', { width: 1_400, height: 1_000, mobile: false }],
  ['phone', 'light', { width: 390, height: 844, mobile: true }],
  ['phone', 'dark', { width: 390, height: 844, mobile: true }],
] as const;

const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const PAGES = ['/account/claim', '/account/reset-password', '/portal/billing', '/portal/billing?order=ord_1&checkout=done'];

let booted: BootedGateway;
beforeAll(async () => {
  booted = await bootGateway();
});
afterAll(() => booted.close());

it.each(PAGES)('%s may run and load what this server sends, nothing inline', async (path) => {
  const page = await booted.get(path);
  expect([page.status, page.headers['content-type'], page.headers['cache-control'], page.headers['referrer-policy']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
    'no-referrer',
  ]);
  expect(page.headers['set-cookie']).toBeUndefined();
  const policy = String(page.headers['content-security-policy']);
  expect(policy.split(';').map((directive) => directive.trim())).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "form-action 'none'",
      "base-uri 'none'",
    ]),
  );
  expect(policy).not.toContain('unsafe');
  expect(page.text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:\/\//);
  const files = [...page.text.matchAll(/(?:src|href)="([^"]*assets\/[^"]+)"/g)].map(
    ([, file]) => new URL(String(file), `http://a${path}`).pathname,
  );
  expect(files).toHaveLength(2);
  for (const file of files) {
    const answer = await booted.get(file);
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  }
});

it('has no other file', async () => {
  expect((await booted.get('/account/assets/other.js')).status).toBe(404);
});

inBrowser('in a real browser', () => {
  let browser: BrowserPage;
  let page: BrowserPage['page'];
  let picture = 0;

  async function show(screen: Parameters<typeof openBrowserPage>[0]): Promise<void> {
    browser = await openBrowserPage(screen);
    page = browser.page;
  }
  const askedOfOthers = (): string[] =>
    browser.requests.filter((url) => url.startsWith('http') && new URL(url).origin !== booted.gateway.url);
  async function open(path: string): Promise<void> {
    await page.goto('about:blank');
    await page.goto(booted.gateway.url + path);
  }
  const text = async (): Promise<string> => String(await page.evaluate('document.body.innerText'));
  const shows = (part: string) => booted.until(async () => (await text()).includes(part));
  const fill = (id: string, value: string) =>
    page.evaluate(`document.getElementById(${JSON.stringify(id)}).value = ${JSON.stringify(value)}`);
  const press = (label: string) =>
    page.evaluate(`[...document.querySelectorAll('button')].find((button) => button.textContent === ${JSON.stringify(label)}).click()`);
  async function look(name: string): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true);
    if (PICTURES_DIR === undefined) return;
    await page.screenshot({ path: join(PICTURES_DIR, `account-${(picture += 1)}-${name}.png`) });
  }

  it.each(SIZES)('an account is opened, gets its first key, and gets a new password on a %s, %s', async (device, scheme, size) => {
    await show({ ...size, scheme });
    try {
      const email = `${device}-${scheme}@example.com`;

      await open('/account/claim');
      await shows('Open your account');
      await look(`${device}-${scheme}-claim`);
      await fill('email', UNVERIFIED_EMAIL);
      await fill('password', 'a quiet river 81');
      await press('Open account');
      await shows('Look into your mail');
      await shows(UNVERIFIED_EMAIL);
      await look(`${device}-${scheme}-sent`);

      await open(`/account/claim#${new URLSearchParams({ claim_token: 'used already', email }).toString()}`);
      await fill('password', 'a quiet river 81');
      await press('Open account');
      await shows('No account can be opened with this link or email.');
      await shows('choose a new password');
      await look(`${device}-${scheme}-refused`);

      await page.evaluate(`location.hash = ${JSON.stringify(new URLSearchParams({ claim_token: CLAIM_TOKEN, email }).toString())}`);
      await booted.until(async () => (await page.evaluate("document.getElementById('password').value")) === '');
      const filled = "[document.getElementById('email')?.value, document.getElementById('email')?.readOnly, location.href].join(' ')";
      const whatIsFilled = `${email} true ${booted.gateway.url}/account/claim`;
      await booted.until(async () => (await page.evaluate(filled)) === whatIsFilled);
      await page.evaluate("document.getElementById('password').value = 'typed before the reload'");
      await page.reload();
      await booted.until(
        async () =>
          (await page.evaluate("document.getElementById('password')?.value")) === '' && (await page.evaluate(filled)) === whatIsFilled,
      );
      const { entries } = await (await page.context().newCDPSession(page)).send('Page.getNavigationHistory');
      expect(JSON.stringify(entries)).not.toContain(CLAIM_TOKEN);
      await fill('password', 'a quiet river 81');
      await press('Open account');
      await shows('Your account is open');
      expect(await page.evaluate('location.href')).toBe(`${booted.gateway.url}/account/claim`);
      await press('Make an API key');
      await shows('curl -H');
      const key = String(await page.evaluate("document.getElementById('key').textContent"));
      expect((await booted.get('/api/public/market-state/account/me', { headers: { 'x-market-state-api-key': key } })).status).toBe(403);
      await look(`${device}-${scheme}-opened`);
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);

      await open('/account/reset-password');
      await fill('email', email);
      await look(`${device}-${scheme}-ask`);
      await press('Send the link');
      await shows('a mail with a link is on its way');

      seedGoodRequests(booted.account, `ten_${device}_${scheme}`);
      await open('/account/reset-password#reset_token=not-the-token-of-a-mail');
      await fill('password', 'another river 82');
      await press('Set password');
      await shows('This link can no longer be used.');

      expect(askedOfOthers()).toEqual([]);
      expect(browser.complaints.filter((line) => !line.includes('status of 401'))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it.each([
    ['phone', { width: 420, height: 900, mobile: true }],
    ['desktop', { width: 1_280, height: 900, mobile: false }],
  ])(
    'the links of a checkout and of the billing portal open a page on a %s that shows the order, the plan and the credits',
    async (device, size) => {
      await show(size);
      const post = (path: string, body: object) =>
        booted.get(`/api/public/market-state/account/${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { ...PAGE, cookie: `${SESSION_COOKIE}=${booted.account.openSession('buyer@example.com')}` },
        });
      try {
        const order = (await post('billing/checkout-session', { plan_id: 'public_pro' })).json<{
          order_id: string;
          checkout_url: string;
        }>();
        const checkout = new URL(order.checkout_url);
        expect(checkout.origin).toBe(booted.gateway.url);
        await open(checkout.pathname + checkout.search);
        await shows('No payment is taken here');
        await shows(order.order_id);
        await shows('Log in to see the plan');
        await look(`${device}-order`);
        await fill('email', 'buyer@example.com');
        await fill('password', 'wrong password');
        await press('Log in');
        await shows('Wrong email or password.');
        await fill('password', SEEDED_PASSWORD);
        await press('Log in');
        await shows('Pro');
        await shows('1,000,000 market-state and 5,000 export credits a month');
        await shows('5,000');
        await shows('None yet.');
        await look(`${device}-billing`);

        const portal = new URL((await post('billing/portal', {})).json<{ portal_url: string }>().portal_url);
        expect(portal.origin).toBe(booted.gateway.url);
        await open(portal.pathname);
        await shows('Credits left');
        await open('/portal/billing?order=ord_1&checkout=cancelled');
        await shows('Nothing was paid.');
        await press('Log out');
        await shows('Log in to see the plan');
        expect(askedOfOthers()).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );

  it('a reset names the keys that no longer work', async () => {
    await show(SIZES[2][2]);
    try {
      seedGoodRequests(booted.account, 'ten_reset');
      await open(`/account/reset-password#reset_token=${RESET_TOKEN}`);
      await fill('password', 'another river 82');
      await press('Set password');
      await shows('API keys that no longer work');
      expect(await text()).toMatch(/\(msk_\S+…\w{4}\)/);
      await look('phone-light-changed');
    } finally {
      await browser.close();
    }
  });
});
