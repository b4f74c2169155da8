import { type Browser, chromium } from 'playwright-core';
import { keyOfNewTenant } from './account-api';
import type { DefaultSystem } from './default-system';
import { axeFaults, EMAIL, keptBy, newContext, open, PASSWORD, program } from './portal-browser';
import { describeWebhooksPage } from './portal-webhooks';

/** Each page of the portal once in a real browser, every other one as on a phone. Counted as skipped where there is no Chromium. */
export function describePortal(started: () => DefaultSystem): void {
  const inBrowser = program === undefined ? describe.skip : describe;

  inBrowser('in Chromium (skipped where no chromium is on PATH)', () => {
    let browser: Browser;
    let url: string;
    let eventId: string;
    let symbol: string;

    beforeAll(async () => {
      const { system, api } = started();
      url = system.url;
      const claimed = await fetch(`${url}/api/public/market-state/account/auth/claim`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: EMAIL, password: PASSWORD, api_key: await keyOfNewTenant(system) }),
      });
      expect(claimed.status).toBe(200);
      const { body } = await api.getWithKey('/api/public/market-state/history?limit=50');
      const row = (body as { rows: { event_id: string; symbol: string }[] }).rows[20];
      ({ event_id: eventId, symbol } = row ?? { event_id: '', symbol: '' });
      browser = await chromium.launch({
        executablePath: program,
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
      });
    });
    afterAll(() => browser?.close());

    it.each([
      ['/', 'phone', false, 'How one of them was made'],
      ['/login', 'phone', false, 'Password forgotten?'],
      ['/claim', 'desktop', false, 'Open account'],
      ['/reset', 'phone', false, 'Send the link'],
      ['/live', 'desktop', true, 'Published state, age'],
      ['/live/:symbol', 'phone', true, 'spread'],
      ['/packet/:event_id', 'desktop', true, 'signed by a published key in use then'],
      ['/keys', 'phone', true, 'Making, changing and ending keys'],
      ['/alerts', 'desktop', true, 'Rehearse a rule'],
      ['/webhooks', 'phone', true, 'Is a message ours?'],
      ['/exports', 'desktop', true, 'Count rows and cost'],
      ['/usage', 'desktop', true, 'This use on every tier'],
      ['/billing', 'phone', true, 'Order a top-up for $39.00'],
    ] as const)(
      '%s as on a %s shows what it is for; the browser, axe and the policy find nothing',
      async (pattern, size, isLoggedIn, words) => {
        const context = await newContext(browser, url, size, isLoggedIn);
        try {
          const path = pattern.replace(':symbol', symbol).replace(':event_id', eventId);
          const { page, complaints } = await open(context, url, path);
          await page.getByText(words).first().waitFor();
          expect(await axeFaults(page)).toEqual([]);
          expect(complaints).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
        } finally {
          await context.close();
        }
      },
    );

    it('without a key one click ticks body, maker and derivation of a packet; a moved trade breaks it, and the first difference is named', async () => {
      const context = await newContext(browser, url, 'desktop', false);
      try {
        const { page, complaints } = await open(context, url, '/');
        const ticked = page.locator('[data-mark="yes"]');
        await page.getByRole('button', { name: 'Recompute it' }).press('Enter');
        await ticked.nth(2).waitFor();
        expect(await ticked.allInnerTexts()).toEqual([
          expect.stringContaining('25 packets match their digests'),
          expect.stringContaining('no maker is proved'),
          expect.stringContaining('25 packets linked'),
        ]);
        await page.getByLabel('Which trade').fill('40');
        await page.getByRole('button', { name: 'Move it by 0.1' }).press('Enter');
        const difference = page.getByRole('region', { name: 'First difference' });
        await difference.waitFor();
        expect(await ticked.count()).toBe(2);
        expect(await difference.getByRole('row').allInnerTexts()).toEqual([
          expect.stringContaining('Ours'),
          expect.stringMatching(/digest\s+[0-9a-f]{64}\s+[0-9a-f]{64}/),
          expect.stringMatching(/^\/\w+/),
        ]);
        expect(await axeFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'Put it back' }).press('Enter');
        await ticked.nth(2).waitFor();
        expect(complaints).toEqual([]);
        const asked = await page.evaluate(
          "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/api/')))]",
        );
        expect((asked as readonly string[]).length).toBeLessThanOrEqual(5);
      } finally {
        await context.close();
      }
    });

    it('one click makes a packet again from its bundle, with its maker proved', async () => {
      const context = await newContext(browser, url, 'phone', true);
      try {
        const { page, complaints } = await open(context, url, `/packet/${eventId}`);
        const panel = page.getByRole('region', { name: 'Made again in your browser' });
        await panel.getByRole('button', { name: /^Recompute it, at most \d+ credits$/ }).press('Enter');
        const ticked = panel.locator('[data-mark="yes"]');
        await ticked.nth(2).waitFor();
        expect(await ticked.allInnerTexts()).toEqual([
          expect.stringMatching(/\d+ packets match their digests/),
          expect.stringMatching(/\d+ signatures fit a published key/),
          expect.stringMatching(/\d+ packets linked/),
        ]);
        expect(await axeFaults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    });

    it('a reader who is not logged in logs in by keyboard, and is back where they wanted to be', async () => {
      const context = await newContext(browser, url, 'desktop', false);
      try {
        const { page } = await open(context, url, `/packet/${eventId}`);
        await page.getByLabel('Email').waitFor();
        await page.getByLabel('Email').focus();
        await page.keyboard.type(EMAIL);
        await page.keyboard.press('Tab');
        await page.keyboard.type(PASSWORD);
        await page.keyboard.press('Enter');
        await page.getByText('Why this label').waitFor();
        expect(new URL(page.url()).pathname).toBe(`/packet/${eventId}`);
        await page.keyboard.press('[');
        await page.waitForURL((address) => address.pathname !== `/packet/${eventId}`);
        await page.keyboard.press('g');
        await page.keyboard.press('l');
        await page.waitForURL('**/live');
      } finally {
        await context.close();
      }
    });

    it('a new key is nowhere in the browser once its dialog is closed', async () => {
      const context = await newContext(browser, url, 'desktop', true);
      try {
        const { page, complaints } = await open(context, url, '/keys');
        await page.getByRole('button', { name: 'Make a key' }).click();
        await page.getByLabel('Name').fill('canary');
        const [made] = await Promise.all([
          page.waitForResponse((answer) => answer.request().method() === 'POST'),
          page.getByLabel('Name').press('Enter'),
        ]);
        const { key } = (await made.json()) as { key: string };
        await page.getByRole('button', { name: 'Show it' }).click();
        expect(await page.content()).toContain(key);
        expect(await axeFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'I have stored it' }).click();
        await page.getByRole('row', { name: /canary/ }).waitFor();
        expect(await keptBy(page)).not.toContain(key);
        expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
        await page.goto('/live');
        await page.goBack();
        await page.getByRole('row', { name: /canary/ }).waitFor();
        expect(await page.content()).not.toContain(key);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    });

    it('nothing secret stays in the browser: no key, no password, no session a script could read', async () => {
      const context = await newContext(browser, url, 'desktop', true);
      try {
        const { page } = await open(context, url, '/live');
        await page.getByText('Published state, age').waitFor();
        const kept = await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
        );
        expect(kept).not.toContain(PASSWORD);
        expect(kept).not.toContain(started().key);
        expect(kept).not.toContain('svc_market_state_session');
      } finally {
        await context.close();
      }
    });

    describeWebhooksPage(started, () => browser);
  });
}
