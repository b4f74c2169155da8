import { axeFaults, keptBy, newVisitor, openPage, overhang, type Visiting } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

/** The browser also logs a refusal that the page shows. */
const REFUSED = /status of 422/;

export function describeConsolePage(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser' | 'account'>): void {
  it("an operation's page leads to its call: cost first, answer, charge by the receipt; a fault appears at its field; the key is not stored", async () => {
    const { url } = started().system;
    const context = await newVisitor({ browser: visitor().browser, url, screen: 'phone', scheme: 'dark' });
    try {
      const { page, complaints } = await openPage(context, url, '/docs/reference/operations/list-history');
      await page.getByRole('link', { name: 'Try it in the console' }).click();
      await page.waitForURL(/\/console\?operation=listHistory&symbol=BTCUSD-PERP&limit=5/);
      const [made] = await Promise.all([
        page.waitForResponse((answer) => answer.request().method() === 'POST'),
        page.getByRole('button', { name: 'Create a free sandbox key' }).press('Enter'),
      ]);
      const { key, calls } = (await made.json()) as { key: string; calls: number };
      await page.getByRole('button', { name: 'Send, at most 1 credit' }).press('Enter');
      const answer = page.getByRole('region', { name: 'Response as JSON' });
      await answer.waitFor();
      expect((JSON.parse(await answer.innerText()) as { rows: object[] }).rows).toHaveLength(5);
      await page.getByText(`cost 1 credit, ${calls - 1} calls left`).waitFor();
      const program = page.getByRole('region', { name: 'Call with curl' });
      expect(await program.innerText()).toContain(`'${url}/api/public/market-state/history?symbol=BTCUSD-PERP&limit=5&view=compact'`);
      expect(await program.innerText()).toContain('$MARKET_STATE_API_KEY');
      await page.getByRole('button', { name: 'Load receipt, at most 1 credit' }).press('Enter');
      await page.getByText('Charged 1 credit of at most 1 credit').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);

      await page.locator('[name="limit"]').fill('5000');
      await page.getByRole('button', { name: 'Send, at most 1 credit' }).press('Enter');
      await page.locator('[name="limit"][aria-invalid="true"]').waitFor();
      expect(new URL(page.url()).searchParams.get('limit')).toBe('5000');
      expect(await page.getByRole('alert').count()).toBe(0);
      expect(await keptBy(page)).not.toContain(key);
      await page.goto('/login');
      await page.goBack();
      await page.getByRole('button', { name: 'Create a free sandbox key' }).waitFor();
      expect(await keptBy(page)).not.toContain(key);
      expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
      expect(complaints.filter((complaint) => !REFUSED.test(complaint))).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('a login calls by its own paths: a stream closes after its first messages, and changes are confirmed first', async () => {
    const { url } = started().system;
    const context = await newVisitor({ ...visitor(), url, screen: 'desktop', scheme: 'light' });
    try {
      const { page, complaints } = await openPage(context, url, '/console?operation=streamData&symbol=BTCUSD-PERP&channels=trades,book');
      await page.getByRole('button', { name: 'Use my login' }).press('Enter');
      await page.getByText(/^Your login for /).waitFor();
      await page.getByRole('button', { name: 'Send, at most 1 credit' }).press('Enter');
      await page.getByText('10 messages; the stream is closed and costs nothing more').waitFor();
      const messages = JSON.parse(await page.getByRole('region', { name: 'Messages as JSON' }).innerText()) as { symbol: string }[];
      expect(messages.map(({ symbol }) => symbol)).toEqual(Array.from({ length: 10 }, () => 'BTCUSD-PERP'));

      await page.getByLabel('Operation').selectOption('createWatchlist');
      await page.locator('[name="name"]').fill('From the console');
      await page.locator('[name="symbols"]').fill('BTCUSD-PERP');
      await page.locator('[name="rules"]').fill('[{"kind":"state_changed"}]');
      await page.getByRole('button', { name: /^Send, / }).press('Enter');
      const confirm = page.getByRole('dialog');
      await confirm.getByText('POST /api/public/market-state/watchlists', { exact: true }).waitFor();
      await confirm.getByRole('button', { name: 'Confirm' }).press('Enter');
      const answer = page.getByRole('region', { name: 'Response as JSON' });
      await answer.waitFor();
      const { watchlist_id: id } = JSON.parse(await answer.innerText()) as { watchlist_id: string };
      await page.goto(`/console?operation=deleteWatchlist&watchlist_id=${id}`);
      await page.getByRole('button', { name: 'Use my login' }).press('Enter');
      await page.getByText(/^Your login for /).waitFor();
      await page.getByRole('button', { name: /^Send, / }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete permanently' }).press('Enter');
      await page.getByText(/^200 in \d+ ms, cost 0 credits/).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}
