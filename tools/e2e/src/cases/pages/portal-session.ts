import { axeFaults, newVisitor, openPage, openPortalAccount, overhang, type Visiting } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

const OPEN_PAGES = ['/', '/lab', '/console', '/how', '/proof', '/verify'];
/** Delay of the history, long enough to look at the page without it. */
const HISTORY_WAIT_MS = 5_000;

/** The session on every page, the account menu, addresses that are no page, and the head of a symbol while its past is not loaded. */
export function describeSession(started: () => DefaultSystem, visitor: () => Required<Pick<Visiting, 'browser' | 'account'>>): void {
  const visit = (account: Visiting['account'], screen: Visiting['screen']) => {
    const { url } = started().system;
    return newVisitor({ browser: visitor().browser, url, screen, scheme: 'dark', ...(account === undefined ? {} : { account }) });
  };

  it('open pages show the account of the session; logging out everywhere ends it in every browser', async () => {
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
      const dialog = page.getByRole('dialog', { name: 'Account' });
      await dialog.getByText(account.email, { exact: false }).first().waitFor();
      await dialog.getByRole('heading', { name: 'Sessions: 3' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      expect(complaints).toEqual([]);
      await dialog.getByRole('button', { name: 'Log out everywhere' }).press('Enter');
      await page.waitForURL('**/login');
      const { page: other } = await openPage(second, system.url, '/usage');
      await other.waitForURL('**/login?next=%2Fusage');
    } finally {
      await Promise.all([context.close(), second.close()]);
    }
  });

  it('an address that is no page says so with ways back; the symbol box finds symbols of the catalog', async () => {
    const { url } = started().system;
    const context = await visit(visitor().account, 'desktop');
    try {
      const { page } = await openPage(context, url, '/no/such/page');
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const box = page.getByLabel('Symbol or event id');
      await box.fill('NOSUCHUSD');
      await box.press('Enter');
      await page.getByText('No such symbol or event id').waitFor();
      await box.fill('BTCUSD');
      await box.press('Enter');
      await page.waitForURL('**/live/BTCUSD-PERP');
    } finally {
      await context.close();
    }
  });

  it('the head of a symbol is its newest packet while the hour before is not loaded, and nothing is called missing', async () => {
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
