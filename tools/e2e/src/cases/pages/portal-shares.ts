import { axeFaults, newVisitor, openPage, overhang, type PortalAccount, sharePacket, type Visiting } from '@market-state/testing';
import type { Browser, Page } from 'playwright-core';
import { askDatabase } from '../../system/stored';
import type { DefaultSystem } from '../../system/default-system';

const API = '/api/public/market-state';
const SIGNED = 'signed with a published key valid at the time';

const VISITOR = { screen: 'desktop', scheme: 'dark' } as const satisfies Pick<Visiting, 'screen' | 'scheme'>;

interface Given {
  readonly browser: Browser;
  readonly account: PortalAccount;
}

const share = async ({ system, key }: DefaultSystem) => sharePacket(system.url, key);

/** Share links with their proof, and the page that checks a reader's files. */
export function describeShares(started: () => DefaultSystem, given: () => Given): void {
  const visit = (account?: PortalAccount) =>
    newVisitor({ browser: given().browser, url: started().system.url, ...VISITOR, ...(account === undefined ? {} : { account }) });

  it('by keyboard only, a packet is recomputed and shared; a stranger sees it complete and verified', async () => {
    const { url } = started().system;
    const { eventId } = await share(started());
    const context = await visit(given().account);
    const stranger = await visit();
    try {
      const { page, complaints } = await openPage(context, url, `/packet/${eventId}`);
      const recompute = page.getByRole('button', { name: /^Recompute,/ });
      await recompute.waitFor();
      await tabTo(page, /^Recompute,/);
      await page.keyboard.press('Enter');
      await page.getByText('Verified: this browser computed').waitFor();
      await tabTo(page, /^Share this packet/);
      await page.keyboard.press('Enter');
      await tabTo(page, /^Create link$/);
      await page.keyboard.press('Enter');
      await page.getByText('Shared until').waitFor();
      await tabTo(page, /^Show list/);
      await page.keyboard.press('Enter');
      await page
        .getByRole('button', { name: /^Revoke/ })
        .first()
        .waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const link = await page.getByRole('group', { name: 'Link', exact: true }).locator('code').innerText();

      const read = await openPage(stranger, url, new URL(link).pathname);
      await read.page.getByText(SIGNED).waitFor();
      expect(await read.page.locator('[data-mark="yes"]').count()).toBe(2);

      await tabTo(page, /^Revoke/);
      await page.keyboard.press('Enter');
      await page.getByText(/^revoked /).waitFor();
      await read.page.reload();
      await read.page.getByText('This packet is no longer shown').waitFor();
      await read.page.getByText(SIGNED).waitFor();
      expect(await axeFaults(read.page)).toEqual([]);
      expect([...complaints, ...read.complaints]).toEqual([]);
    } finally {
      await Promise.all([context.close(), stranger.close()]);
    }
  });

  it('the page detects a packet modified in transit, and its proof outlives the share', async () => {
    const { url } = started().system;
    const { shareId } = await share(started());
    const context = await visit();
    try {
      const route = `**/demo/shares/${shareId}`;
      await context.route(route, async (requested) => {
        const answer = await requested.fetch();
        const shared = (await answer.json()) as { packet: { novelty_score: number } };
        shared.packet.novelty_score = 0.123;
        await requested.fulfill({ response: answer, json: shared });
      });
      const { page } = await openPage(context, url, `/s/${shareId}`);
      await page.getByText('The packet does not match its digest: its content was changed.').waitFor();
      await context.unroute(route);
      await expire(started(), shareId);
      await page.reload();
      await page.getByText('The link has expired; the proof remains.').waitFor();
      await page.getByText(SIGNED).waitFor();
      expect(await page.locator('[data-mark="yes"]').count()).toBe(1);
      expect(await overhang(page)).toBe(0);
    } finally {
      await context.close();
    }
  });

  it("a reader's file is checked without a key: packet, bundle, and other content", async () => {
    const { system, key } = started();
    const { shareId, eventId } = await share(started());
    const shared = await (await fetch(`${system.url}${API}/demo/shares/${shareId}`)).text();
    const bundle = await fetch(`${system.url}${API}/events/${eventId}/bundle`, { headers: { 'x-market-state-api-key': key } });
    const packed = Buffer.from(await bundle.arrayBuffer());
    const context = await visit();
    try {
      const { page, complaints } = await openPage(context, system.url, '/verify');
      const paste = async (text: string): Promise<void> => {
        await page.getByLabel('Or paste it').first().fill(text);
        await page.getByRole('button', { name: 'Check pasted text' }).first().press('Enter');
      };
      const give = (name: string, buffer: Buffer) =>
        page.locator('input[type="file"]').first().setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
      const fault = page.getByRole('alert');

      await paste(shared);
      await page.getByText('Verified', { exact: true }).waitFor();
      await paste(shared.replace(/"novelty_score":[\d.]+/, '"novelty_score":0.123'));
      await page.getByText('Verification failed', { exact: true }).waitFor();
      await give('bundle', packed);
      await page.getByRole('button', { name: 'Check', exact: true }).press('Enter');
      await page.getByText('Verified: this browser computed').waitFor();
      for (const [name, bytes, words] of [
        ['half a bundle', packed.subarray(0, packed.length / 2), 'damaged or truncated'],
        ['a picture', Buffer.from('\u0089PNG'), 'Not a supported format'],
        ['another schema', Buffer.from('{"schema":"market_state_packet_row.v9"}\n{"schema":"x"}\n'), 'which this version does not support'],
        ['nothing', Buffer.alloc(0), 'The file is empty'],
      ] as const) {
        await give(name, bytes);
        await fault.getByText(words).waitFor();
      }
      expect(await axeFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
      const requested = await page.evaluate(
        "[...new Set(performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => !path.startsWith('/assets/')))].sort()",
      );
      // /readyz: every page shows how far a history is filled.
      expect(requested).toEqual(['/.well-known/market-state-keys.json', `${API}/demo/labeling-policy`, '/readyz']);
    } finally {
      await context.close();
    }
  });
}

const TABS_MAX = 400;

async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < TABS_MAX; presses += 1) {
    const focused = (await page.evaluate('document.activeElement?.textContent ?? ""')) as string;
    if (name.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${name}.`);
}

/** Moves the end of a share into the past. */
async function expire({ system }: DefaultSystem, shareId: string): Promise<void> {
  await askDatabase(system, 'labeling', 'UPDATE share SET expires_ms = created_ms + 1 WHERE share_id = $1', [shareId]);
}
