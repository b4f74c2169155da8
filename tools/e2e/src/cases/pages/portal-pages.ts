import {
  axeFaults,
  findChromium,
  keptBy,
  launchChromium,
  newVisitor,
  openPage,
  openPortalAccount,
  overhang,
  pathOf,
  PORTAL_PAGES,
  type PortalAccount,
  scrollTo,
  servedPages,
  sharePacket,
  type Visiting,
} from '@market-state/testing';
import type { Browser } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';
import { describeAlertsPage } from './portal-alerts';
import { describeConsolePage } from './portal-console';
import { describeOpeningCosts } from './portal-costs';
import { describeDownloads } from './portal-downloads';
import { describeExportsPage } from './portal-exports';
import { describeLabPage } from './portal-lab';
import { describeMailedLink, describeSession } from './portal-session';
import { replaysWhatIsStored } from './portal-replay';
import { describeShares } from './portal-shares';
import { describeTasks } from './portal-tasks';
import { describeTeam } from './portal-team';
import { describeTimes } from './portal-time';
import { describeWebhooksPage } from './portal-webhooks';

type Look = Pick<Visiting, 'screen' | 'scheme'>;

const DESKTOP: Look = { screen: 'desktop', scheme: 'dark' };
const PHONE: Look = { screen: 'phone', scheme: 'light' };

/** Visits each portal page once in a real browser, every other one as on a phone. Skipped without Chromium. */
export function describePortal(started: () => DefaultSystem): void {
  const inBrowser = findChromium() === null ? describe.skip : describe;

  inBrowser('in Chromium (skipped where no chromium is on PATH)', () => {
    let browser: Browser;
    let url: string;
    let account: PortalAccount;
    let eventId: string;
    let symbol: string;
    let shareId: string;

    beforeAll(async () => {
      const { system, api } = started();
      url = system.url;
      account = await openPortalAccount(system);
      const { body } = await api.getWithKey('/api/public/market-state/history?limit=50');
      const row = (body as { rows: { event_id: string; symbol: string }[] }).rows[20];
      ({ event_id: eventId, symbol } = row ?? { event_id: '', symbol: '' });
      ({ shareId } = await sharePacket(url, started().key));
      browser = await launchChromium();
    });
    afterAll(() => browser?.close());

    it('every served page is visited', () => {
      expect(PORTAL_PAGES.map(({ pattern }) => pattern).sort()).toEqual([...servedPages()].sort());
    });

    const looks = PORTAL_PAGES.map((page, at) => ({ ...page, ...(at % 2 === 0 ? PHONE : DESKTOP) }));
    it.each(looks)(
      '$pattern as on a $screen shows its content; the browser, axe and the policy find nothing',
      async ({ pattern, isOpen, words, screen, scheme }) => {
        const context = await newVisitor({ browser, url, screen, scheme, ...(isOpen ? {} : { account }) });
        try {
          const { page, complaints } = await openPage(context, url, pathOf(pattern, { symbol, eventId, shareId }));
          await scrollTo(page, words);
          expect(await axeFaults(page)).toEqual([]);
          expect(complaints).toEqual([]);
          expect(await overhang(page)).toBe(0);
        } finally {
          await context.close();
        }
      },
    );

    it('a page with a part that fails to load says so, and one click loads it', async () => {
      const context = await newVisitor({ browser, url, ...DESKTOP });
      try {
        const part = /\/assets\/how-page-[^/]+\.js$/;
        await context.route(part, (route) => route.fulfill({ status: 429 }));
        const { page } = await openPage(context, url, '/how');
        await page.getByRole('alert').getByText('A part of this page could not be loaded.').waitFor();
        await context.unroute(part);
        await page.getByRole('button', { name: 'Try again' }).click();
        await scrollTo(page, 'Counterevidence');
      } finally {
        await context.close();
      }
    });

    it('without a key one click verifies body, signer and derivation of a packet; a moved trade breaks it, and the first difference is named', async () => {
      const context = await newVisitor({ browser, url, ...DESKTOP });
      try {
        const { page, complaints } = await openPage(context, url, '/');
        const ticked = page.locator('[data-mark="yes"]');
        await page.getByRole('button', { name: 'Recompute', exact: true }).press('Enter');
        await ticked.nth(2).waitFor();
        expect(await ticked.allInnerTexts()).toEqual([
          expect.stringContaining('26 packets match their digests'),
          expect.stringContaining("don't prove who signed"),
          expect.stringContaining('26 packets linked'),
        ]);
        await page.getByLabel('Trade, counted from the last').fill('40');
        await page.getByRole('button', { name: 'Move by 0.1' }).press('Enter');
        const difference = page.getByRole('region', { name: 'First difference' });
        await difference.waitFor();
        expect(await ticked.count()).toBe(2);
        expect(await difference.getByRole('row').allInnerTexts()).toEqual([
          expect.stringContaining('Computed here'),
          expect.stringMatching(/digest\s+[0-9a-f]{64}\s+[0-9a-f]{64}/),
          expect.stringMatching(/^\/\w+/),
        ]);
        expect(await axeFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'Undo' }).press('Enter');
        await ticked.nth(2).waitFor();
        await scrollTo(page, 'How one of them was made');
        expect(complaints).toEqual([]);
        const requested = await page.evaluate(
          "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/api/')))]",
        );
        expect((requested as readonly string[]).length).toBeLessThanOrEqual(5);
      } finally {
        await context.close();
      }
    });

    it('one click recomputes a packet from its bundle, with its signer verified', async () => {
      const context = await newVisitor({ browser, url, ...PHONE, account });
      try {
        const { page, complaints } = await openPage(context, url, `/packet/${eventId}`);
        const panel = page.getByRole('region', { name: 'Recomputed in your browser' });
        await panel.getByRole('button', { name: /^Recompute, at most \d+ credits$/ }).press('Enter');
        const ticked = panel.locator('[data-mark="yes"]');
        await ticked.nth(2).waitFor();
        expect(await ticked.allInnerTexts()).toEqual([
          expect.stringMatching(/\d+ packets match their digests/),
          expect.stringMatching(/\d+ signatures are valid for a published key/),
          expect.stringMatching(/\d+ packets linked/),
        ]);
        expect(await axeFaults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    });

    it('a replay shows each stored packet once; pausing and seeking within loaded data request nothing', async () => {
      const context = await newVisitor({ browser, url, account, ...DESKTOP });
      try {
        await replaysWhatIsStored(context, started(), symbol);
      } finally {
        await context.close();
      }
    });

    it('a span before the available data has a link that moves it there, and an invalid time says so at its field', async () => {
      const context = await newVisitor({ browser, url, ...PHONE, account });
      try {
        const { page } = await openPage(context, url, '/stability?symbol=BTCUSD-PERP&from=2020-01-01T00:00:00Z&to=2020-01-01T00:30:00Z');
        await page.getByRole('link', { name: /^Show available data from \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC on$/ }).press('Enter');
        await page.getByText('Transitions').waitFor();
        const moved = new URL(page.url()).searchParams;
        expect(Date.parse(moved.get('to') ?? '') - Date.parse(moved.get('from') ?? '')).toBe(1_800_000);
        await page.getByLabel('From, UTC').fill('11/25/2026 6:30 PM');
        await page.getByLabel('To, UTC').fill('2026-11-25 25:00');
        await page.getByLabel('To, UTC').press('Enter');
        await page.getByText('Use the form YYYY-MM-DD HH:MM').waitFor();
        await page.getByText('There is no hour 25').waitFor();
        expect(await axeFaults(page)).toEqual([]);
        expect(await overhang(page)).toBe(0);
      } finally {
        await context.close();
      }
    });

    it('a reader logs in by keyboard and returns to the page they wanted', async () => {
      const context = await newVisitor({ browser, url, ...DESKTOP });
      try {
        const { page } = await openPage(context, url, `/packet/${eventId}`);
        await page.getByText('Why this label').waitFor();
        await page.keyboard.press('[');
        expect(new URL(page.url()).pathname).toBe(`/packet/${eventId}`);
        await page.getByLabel('Email').focus();
        await page.keyboard.type(account.email);
        await page.keyboard.press('Tab');
        await page.keyboard.type(account.password);
        await page.keyboard.press('Enter');
        // The sample on the page before the login has the same words and links.
        await page.getByText('Sample data').waitFor({ state: 'detached' });
        await page.getByText('Why this label').waitFor();
        expect(new URL(page.url()).pathname).toBe(`/packet/${eventId}`);
        await page.getByRole('link', { name: /^Previous packet/ }).waitFor();
        await page.keyboard.press('[');
        await page.waitForURL((address) => address.pathname !== `/packet/${eventId}`);
        await page.keyboard.press('g');
        await page.keyboard.press('l');
        await page.waitForURL('**/live');
        await page.getByText('Published state, age').waitFor();
      } finally {
        await context.close();
      }
    });

    it('a new key is nowhere in the browser after its dialog closes', async () => {
      const context = await newVisitor({ browser, url, ...DESKTOP, account });
      try {
        const { page, complaints } = await openPage(context, url, '/keys');
        await page.getByRole('button', { name: 'Create key' }).click();
        await page.getByLabel('Name').fill('canary');
        const [made] = await Promise.all([
          page.waitForResponse((answer) => answer.request().method() === 'POST'),
          page.getByLabel('Name').press('Enter'),
        ]);
        const { key } = (await made.json()) as { key: string };
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        expect(await page.content()).toContain(key);
        expect(await axeFaults(page)).toEqual([]);
        await page.getByRole('button', { name: 'Done', exact: true }).click();
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

    it('a sandbox key is created and used on the first page, and is nowhere in the browser afterwards', async () => {
      const context = await newVisitor({ browser, url, ...PHONE });
      try {
        const { page, complaints } = await openPage(context, url, '/');
        const [made] = await Promise.all([
          page.waitForResponse((answer) => answer.request().method() === 'POST'),
          page.getByRole('button', { name: 'Create a free sandbox key' }).press('Enter'),
        ]);
        const { key, calls } = (await made.json()) as { key: string; calls: number };
        await page.getByRole('button', { name: 'Newest packet, compact' }).press('Enter');
        const answer = page.getByRole('region', { name: 'Response as JSON' });
        await answer.waitFor();
        expect(JSON.parse(await answer.innerText())).toMatchObject({ rows: [{ symbol: expect.any(String) }] });
        expect(await page.getByText(`cost 1 credit, ${calls - 1} calls left`).count()).toBe(1);
        await page.getByRole('button', { name: 'Show', exact: true }).press('Enter');
        expect(await page.content()).toContain(key);
        expect(await axeFaults(page)).toEqual([]);
        const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])';
        expect(await page.evaluate(kept)).not.toContain(key);
        expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
        await page.goto('/login');
        await page.goBack();
        await page.getByRole('button', { name: 'Recompute', exact: true }).waitFor();
        expect(await page.content()).not.toContain(key);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    });

    it('nothing secret stays in the browser: no key, no password, no session that a script could read', async () => {
      const context = await newVisitor({ browser, url, ...DESKTOP, account });
      try {
        const { page } = await openPage(context, url, '/live');
        await page.getByText('Published state, age').waitFor();
        const kept = await page.evaluate(
          'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
        );
        expect(kept).not.toContain(account.password);
        expect(kept).not.toContain(started().key);
        expect(kept).not.toContain('svc_market_state_session');
      } finally {
        await context.close();
      }
    });

    describeAlertsPage(started, () => ({ browser, account }));
    describeConsolePage(started, () => ({ browser, account }));
    describeMailedLink(started, () => ({ browser, account }));
    describeExportsPage(started, () => ({ browser, account }));
    describeDownloads(started, () => ({ browser, account }));
    describeOpeningCosts(started, () => ({ browser, account, eventId }));
    describeSession(started, () => ({ browser, account }));
    describeShares(started, () => ({ browser, account }));
    describeLabPage(started, () => ({ browser, account, eventId }));
    describeTasks(started, () => ({ browser }));
    describeTeam(started, () => ({ browser }));
    describeTimes(started, () => ({ browser, account, symbol, eventId }));
    describeWebhooksPage(started, () => ({ browser, account }));
  });
}
