import { axeFaults, keptBy, newVisitor, openPage, type PortalAccount, waitUntil } from '@market-state/testing';
import type { Browser } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';
import { resetMailTo } from '../../system/outbox';

interface MailReader {
  readonly browser: Browser;
  readonly account: PortalAccount;
}

/** The token of a mailed link is held in memory alone: in no address, storage or history. A reload loses it, which the page says. */
export function describeMailedLink(started: () => DefaultSystem, reader: () => MailReader): void {
  it('the link of a reset mail opens the page that sets the password, again after a reload; its token is in no address afterwards', async () => {
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
      await page.getByText('Open the link in your mail again').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await keptBy(page)).not.toContain(token);
      await page.goto(new URL(link).pathname + new URL(link).hash);
      await page.getByLabel('New password').fill(`another ${account.password}`);
      expect(page.url()).toBe(`${url}/reset`);
      await page.getByLabel('New password').press('Enter');
      await page.getByText('Your password is set').waitFor();
      await page.reload();
      await page.getByText('Send the link').waitFor();
      const { entries } = await (await context.newCDPSession(page)).send('Page.getNavigationHistory');
      expect(entries.map((entry) => entry.url)).toEqual(['about:blank', `${url}/reset`, `${url}/login`, `${url}/reset`, `${url}/reset`]);
      expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state])')).not.toContain(token);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}
