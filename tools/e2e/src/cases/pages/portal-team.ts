import {
  axeFaults,
  newVisitor,
  openPage,
  openPortalAccount,
  overhang,
  type PortalAccount,
  type Visiting,
  waitUntil,
} from '@market-state/testing';
import type { Locator, Page } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';
import { invitationTo } from '../../system/stored';

const READ_ONLY = 'Your role is read-only: only members and owners of your team can do this.';

async function expectOff(button: Locator): Promise<void> {
  await button.waitFor();
  expect([await button.isDisabled(), await button.getAttribute('title')]).toEqual([true, READ_ONLY]);
}

/** Team of an account, in the browsers of an owner and of an invited colleague. */
export function describeTeam(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser'>): void {
  const visit = (screen: Visiting['screen'], account?: PortalAccount) => {
    const { url } = started().system;
    return newVisitor({
      ...visitor(),
      url,
      screen,
      scheme: screen === 'phone' ? 'light' : 'dark',
      ...(account === undefined ? {} : { account }),
    });
  };
  const look = async (page: Page): Promise<void> => {
    expect(await axeFaults(page)).toEqual([]);
    expect(await overhang(page)).toBe(0);
  };

  it("a colleague joins by the mail's link, changes nothing as a read-only member, creates keys as a member, and is removed", async () => {
    const { system } = started();
    const owner = await openPortalAccount(system);
    const colleague = `colleague-${owner.email}`;
    const [desktop, phone] = [await visit('desktop', owner), await visit('phone')];
    try {
      const { page, complaints } = await openPage(desktop, system.url, '/account');
      const team = page.getByRole('region', { name: 'Team' });
      await team.getByLabel('Email').fill(colleague);
      await team.getByRole('button', { name: 'Send invitation' }).press('Enter');
      await team.getByRole('table', { name: 'Pending invitations' }).getByRole('row', { name: colleague }).waitFor();
      await look(page);

      const link = await waitUntil('the mail', () => invitationTo(system, colleague));
      const { page: joining, complaints: ofColleague } = await openPage(phone, system.url, new URL(link).pathname + new URL(link).hash);
      await joining.getByLabel('Password').fill(owner.password);
      await look(joining);
      await joining.getByLabel('Password').press('Enter');
      await joining.getByRole('link', { name: 'see your team' }).press('Enter');
      await joining.getByRole('row', { name: new RegExp(`${colleague} you.*read-only`) }).waitFor();
      await look(joining);
      await joining.goto('/keys');
      await joining.getByRole('note').getByText(READ_ONLY).waitFor();
      await expectOff(joining.getByRole('button', { name: 'Create key' }));
      await expectOff(joining.getByRole('button', { name: /^Revoke / }).first());

      await page.reload();
      await team.getByLabel(`Role of ${colleague}`).selectOption('member');
      await waitUntil('the role', async () => {
        await joining.reload();
        return joining.getByRole('button', { name: 'Create key' }).isEnabled();
      });
      await joining.getByRole('button', { name: 'Create key' }).press('Enter');
      await joining.getByLabel('Name').fill('of the colleague');
      await joining.getByLabel('Name').press('Enter');
      await joining.getByRole('button', { name: /^Done/ }).press('Enter');
      await joining.getByRole('row', { name: /of the colleague/ }).waitFor();

      await team.getByRole('button', { name: `Remove ${colleague}` }).press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
      await team.getByRole('button', { name: `Remove ${colleague}` }).waitFor({ state: 'detached' });
      await page
        .getByRole('region', { name: 'Audit log' })
        .getByRole('row', { name: new RegExp(`key created ${colleague}`) })
        .waitFor();
      await look(page);
      await joining.goto('/live');
      await joining.getByRole('region', { name: 'About Live' }).getByLabel('Email').waitFor();
      expect(complaints).toEqual([]);
      expect(ofColleague.filter((complaint) => !complaint.includes('401'))).toEqual([]);
    } finally {
      await Promise.all([desktop.close(), phone.close()]);
    }
  });
}
