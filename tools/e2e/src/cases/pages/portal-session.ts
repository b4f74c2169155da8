import {
  axeFaults,
  newVisitor,
  openPage,
  openPortalAccount,
  overhang,
  type Visiting,
  keptBy,
  type PortalAccount,
  waitUntil,
} from '@market-state/testing';
import type { Browser } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';
import { resetMailTo } from '../../system/stored';

interface MailReader {
  readonly browser: Browser;
  readonly account: PortalAccount;
}

/**
 * The token of a mailed link stays in memory, never in an address, storage or history. A reload loses it, and the page
 * says so.
 */
export function describeMailedLink(started: () => DefaultSystem, reader: () => MailReader): void {
  it('the link in a reset mail opens the password page, again after a reload; its token is in no address afterwards', async () => {
    const { url } = started().system;
    const { browser, account } = reader();
    const email = `reset-${account.email}`;
    const claimed = await fetch(`${url}/api/public/market-state/account/auth/claim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: account.password }),
    });
    expect(claimed.status).toBe(200);
    const context = await newVisitor({ browser, url, screen: 'phone', scheme: 'light' });
    try {
      const { page, complaints } = await openPage(context, url, '/reset');
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Email').press('Enter');
      await page.getByText('This installation has no mail server.').waitFor();
      const { link, token } = await waitUntil('the mail', () => resetMailTo(started().system, email));
      await page.goto('/login');
      await page.goto(new URL(link).pathname + new URL(link).hash);
      await page.getByLabel('New password').fill('lost by the reload');
      await page.reload();
      await page.getByText('Open the link in your email again').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await keptBy(page)).not.toContain(token);
      await page.goto(new URL(link).pathname + new URL(link).hash);
      await page.getByLabel('New password').fill(`another ${account.password}`);
      expect(page.url()).toBe(`${url}/reset`);
      await page.getByLabel('New password').press('Enter');
      await page.getByText('Your password has been set').waitFor();
      await page.reload();
      await page.getByText('Send link').waitFor();
      const { entries } = await (await context.newCDPSession(page)).send('Page.getNavigationHistory');
      expect(entries.map((entry) => entry.url)).toEqual(['about:blank', `${url}/reset`, `${url}/login`, `${url}/reset`, `${url}/reset`]);
      expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])')).not.toContain(token);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}

const OPEN_PAGES = ['/', '/lab', '/console', '/how', '/proof', '/verify'];
/** Delay of the history, long enough to inspect the page without it. */
const HISTORY_WAIT_MS = 5_000;

/** The session on every page, the account menu, unknown addresses, and a symbol's header before its history loads. */
export function describeSession(started: () => DefaultSystem, visitor: () => Required<Pick<Visiting, 'browser' | 'account'>>): void {
  const visit = (account: Visiting['account'], screen: Visiting['screen']) => {
    const { url } = started().system;
    return newVisitor({ browser: visitor().browser, url, screen, scheme: 'dark', ...(account === undefined ? {} : { account }) });
  };

  it("open pages show the session's account; logging out everywhere ends it in every browser", async () => {
    const { system } = started();
    const account = await openPortalAccount(system);
    const [context, second] = [await visit(account, 'phone'), await visit(account, 'desktop')];
    try {
      const { page, complaints } = await openPage(context, system.url, '/');
      const menu = page.getByRole('button', { name: /^Account of / });
      for (const path of OPEN_PAGES) {
        await page.goto(path);
        await menu.waitFor();
        expect(await page.getByRole('link', { name: 'Log in', exact: true }).count()).toBe(0);
      }
      await menu.press('Enter');
      await page.getByRole('button', { name: 'Sessions and password' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Sessions and password' });
      await dialog.getByText(account.email, { exact: false }).first().waitFor();
      await dialog.getByRole('heading', { name: 'Sessions: 3' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      expect(complaints).toEqual([]);
      await dialog.getByRole('button', { name: 'Log out everywhere' }).press('Enter');
      await page.waitForURL('**/login');
      const { page: other } = await openPage(second, system.url, '/usage');
      await other.getByRole('region', { name: 'About Usage' }).getByLabel('Email').waitFor();
    } finally {
      await Promise.all([context.close(), second.close()]);
    }
  });

  it('a page behind the login shows a visitor what it is with sample data; the palette and the login use the real service', async () => {
    const { url } = started().system;
    const context = await visit(undefined, 'desktop');
    try {
      const { page, complaints } = await openPage(context, url, '/alerts');
      await page.getByText('Sample data', { exact: true }).waitFor();
      await page.getByText('Severe context in BTC').first().waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      const { account } = visitor();
      await page.keyboard.press('/');
      const box = page.getByLabel('Symbol, event id, state or page');
      await box.fill('BTCUSD');
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('option', { name: 'BTCUSD-PERP' }).waitFor();
      await box.press('Escape');
      await page.getByText('Sample data', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Log in', exact: true }).waitFor();
      await page.getByLabel('Email').fill(account.email);
      await page.getByLabel('Password').fill(account.password);
      await page.getByLabel('Password').press('Enter');
      await page.getByText('Sample data', { exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Alerts' }).first().waitFor();
      await page.getByRole('region', { name: 'New alert' }).waitFor();
      await page.getByRole('button', { name: /^Account of / }).press('Enter');
      await page.getByRole('button', { name: 'Sessions and password' }).press('Enter');
      await page.getByRole('dialog', { name: 'Sessions and password' }).getByText(account.email, { exact: false }).first().waitFor();
      expect(new URL(page.url()).pathname).toBe('/alerts');
      expect(complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('an unknown address says so and links back; the palette finds symbols of the catalog', async () => {
    const { url } = started().system;
    const context = await visit(visitor().account, 'desktop');
    try {
      const { page } = await openPage(context, url, '/no/such/page');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.keyboard.press('/');
      const box = page.getByLabel('Symbol, event id, state or page');
      await box.fill('NOSUCHUSD');
      await page.getByRole('option', { name: 'Search events for “NOSUCHUSD”' }).waitFor();
      expect(await page.getByRole('option').count()).toBe(1);
      await box.fill('BTCUSD');
      await page.getByRole('option', { name: 'BTCUSD-PERP' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await box.press('Enter');
      await page.waitForURL('**/live/BTCUSD-PERP');
    } finally {
      await context.close();
    }
  });

  it("a symbol's header shows its newest packet before the last hour loads, and reports nothing as missing", async () => {
    const { url } = started().system;
    const context = await visit(visitor().account, 'desktop');
    try {
      await context.route('**/history?**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, HISTORY_WAIT_MS));
        await route.continue();
      });
      const { page } = await openPage(context, url, '/live');
      const strip = page.getByRole('img', { name: 'States of BTCUSD-PERP in the last hour' });
      await strip.waitFor();
      expect(await strip.getAttribute('aria-label')).toMatch(/; 59 min 50 s not loaded yet$/);
      await page.goto('/live/BTCUSD-PERP');
      await page.getByRole('link', { name: /^\S/ }).and(page.locator('header a[href^="/packet/"]')).waitFor();
      expect(await page.getByText(/^stale, as of/).count()).toBe(0);
    } finally {
      await context.close();
    }
  });
}
