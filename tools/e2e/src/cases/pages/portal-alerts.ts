import { axeFaults, newVisitor, openPage, type Visiting } from '@market-state/testing';
import type { Page } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';

/**
 * Alerts page: watchlists and alerts are created, edited in place, rehearsed and deleted; faults appear at their
 * fields.
 */
export function describeAlertsPage(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser' | 'account'>): void {
  const opened = async (look: (page: Page) => Promise<void>): Promise<void> => {
    const { url } = started().system;
    const context = await newVisitor({ ...visitor(), url, screen: 'desktop', scheme: 'light' });
    try {
      const { page, complaints } = await openPage(context, url, '/alerts');
      await look(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  };

  it('a watchlist is created with several rules, edited in place, rehearsed as saved, and deleted; every fault appears at its field', async () => {
    await opened(async (page) => {
      await page.getByRole('button', { name: 'New watchlist' }).click();
      const panel = page.getByRole('region', { name: 'New watchlist' });
      await panel.getByRole('button', { name: 'Add rule' }).click();
      const second = panel.getByRole('region', { name: 'Rule 2' });
      await second.getByLabel('Alert me when').selectOption('score_change');
      await second.getByLabel('Score').selectOption('pressure_norm');
      await second.getByLabel('by at least').fill('0');
      await panel.getByRole('button', { name: 'Save watchlist' }).click();
      for (const fault of ['Enter a name.', 'Choose a symbol.', 'Enter a number above 0.', '3 fields must be corrected first.'])
        await panel.getByText(fault).waitFor();
      await panel.getByLabel('Name').and(page.locator(':focus')).waitFor();
      expect(await axeFaults(page)).toEqual([]);

      await panel.getByLabel('Name').fill('Night desk');
      for (const symbol of ['BTCUSD-PERP', 'ETHUSD-PERP']) await panel.getByLabel(symbol).check();
      await second.getByLabel('by at least').fill('0.2');
      await panel.getByRole('button', { name: 'Save watchlist' }).click();
      const saved = page.getByRole('region', { name: 'Edit watchlist' });
      await saved.getByText('No changes.').waitFor();
      const row = page.getByRole('row', { name: /Night desk.*BTCUSD-PERP, ETHUSD-PERP.*pressure norm changes by 0.2 in 3 packets/ });
      await row.waitFor();

      await saved.getByRole('button', { name: 'Remove Rule 1' }).click();
      await saved.getByLabel('ETHUSD-PERP').uncheck();
      const changes = saved.getByRole('region', { name: 'Unsaved changes' }).getByRole('listitem');
      expect(await changes.allInnerTexts()).toEqual([
        'No longer watched: ETHUSD-PERP.',
        'Removed: severity is at least high, notifying immediately.',
      ]);
      await saved.getByRole('button', { name: 'Save changes' }).click();
      await saved.getByText('Saved.', { exact: true }).waitFor();
      await page.getByRole('row', { name: /Night desk.*of 1 rule on 1 symbol/ }).waitFor();

      await saved.getByRole('button', { name: 'Test, at most 1 credit' }).click();
      await saved.getByText('cost 1 credit', { exact: true }).waitFor();
      await saved.getByText(/over \d[\d,]* packets?: \d+ messages? to each endpoint, \d+ credits? for each\./).waitFor();

      await page.getByRole('button', { name: 'Delete Night desk' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
      await saved.waitFor({ state: 'detached' });
    });
  });

  it('a rule that flaps in its rehearsal offers calmer settings with their expected notifications, and applies one with a click', async () => {
    await opened(async (page) => {
      const form = page.getByRole('region', { name: 'New alert' });
      await form.getByLabel('Severity', { exact: true }).selectOption('elevated_context');
      await form.getByRole('button', { name: /^Test in browser, at most \d+ credits$/ }).click();
      const offer = form.getByRole('button', { name: /^after \d+ packets in a row: fired \d+, flapped \d+$/ }).last();
      const [inRow, fired, flapped] = [...(await offer.innerText()).matchAll(/\d+/g)].map(([figure]) => figure);
      await offer.press('Enter');
      await form.getByRole('columnheader', { name: `after ${inRow ?? ''} packets in a row` }).waitFor();
      await form.getByRole('row', { name: `fired ${fired ?? ''}`, exact: true }).waitFor();
      await form.getByRole('row', { name: `flapped: fired again within 10 min ${flapped ?? ''}`, exact: true }).waitFor();
      expect(await offer.count()).toBe(0);
      // The page's header must not cover half a button, which axe reports as too small.
      await page.evaluate('scrollTo(0, 0)');
      expect(await axeFaults(page)).toEqual([]);

      await form.getByText('a single packet would have fired').waitFor();
      const requested: string[] = [];
      page.on('request', (request) => void (/history|rehearsal/.test(request.url()) ? requested.push(request.url()) : undefined));
      await form.getByText(/\(edit\)$/).click();
      await form.getByRole('slider', { name: 'Consecutive packets to fire and to recover' }).press('ArrowRight');
      await form.getByRole('columnheader', { name: `after ${Number(inRow) + 1} packets in a row` }).waitFor();
      expect(requested).toEqual([]);
      await form.getByRole('button', { name: 'Confirm on server, at most 1 credit' }).press('Enter');
      await form.getByText(/^Confirmed: the server evaluated [\d,]+ packets and sent the same messages\.$/).waitFor();
    });
  });

  it('an alert is edited in the form that created it: changes are shown, and both versions are rehearsed side by side', async () => {
    await opened(async (page) => {
      const form = page.getByRole('region', { name: 'New alert' });
      await form.getByLabel('Alert me when').selectOption('feed_stale');
      await form.getByLabel('for at least (seconds), as a number').fill('5');
      await form.getByText('Enter a number from 15 to 3,600.').waitFor();
      await form.getByLabel('Alert me when').selectOption('severity_at_least');
      await form.getByText('Not sent anywhere: no destination receives alert.triggered for this symbol.').waitFor();
      await form.getByLabel('Alert name').fill('Loud hours');
      await form.getByRole('button', { name: 'Save as alert' }).click();
      await page.getByRole('button', { name: 'Edit Loud hours' }).click();

      const edit = page.getByRole('region', { name: 'Edit alert' });
      await edit.getByText('No changes.').waitFor();
      await edit.getByLabel('Severity', { exact: true }).selectOption('elevated_context');
      await edit.getByText(/^Notify immediately \(edit\)$/).click();
      await edit.getByLabel('Consecutive packets to fire and to recover, as a number').fill('3');
      await edit.getByRole('button', { name: /^Test in browser, at most \d+ credits$/ }).click();
      await edit.getByRole('columnheader', { name: 'the saved rule: immediately' }).waitFor();
      await edit.getByRole('columnheader', { name: 'the changed rule: after 3 packets in a row' }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(await edit.getByRole('region', { name: 'Unsaved changes' }).getByRole('listitem').allInnerTexts()).toEqual([
        'Removed: severity is at least high, notifying immediately.',
        'Added: severity is at least elevated, notifying after 3 packets in a row. Conditions already true on the first packet do not trigger it.',
      ]);
      await edit.getByRole('button', { name: 'Save changes' }).click();
      await page.getByRole('row', { name: /Loud hours.*severity is at least elevated/ }).waitFor();
      await page.reload();
      await edit.getByText('No changes.').waitFor();
    });
  });
}
