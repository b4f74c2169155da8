import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userProgramFile, workspaceRoot } from '@market-state/launcher';
import { axeFaults, newVisitor, openPage, overhang, type PortalAccount } from '@market-state/testing';
import type { Browser, Page } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';

interface Visitors {
  readonly browser: Browser;
  readonly account: PortalAccount;
  readonly eventId: string;
}

const PROGRAM = userProgramFile();
const RECORDING = join(workspaceRoot(), 'libs/domain/market-data/recordings/binance-coinm/btcusd_perp_20240809.gz');

function diffPolicy(file: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const args = [PROGRAM, 'diff-policy', RECORDING, '--a', 'default', '--b', file, '--output', 'ndjson'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (_differs, stdout) =>
      resolve(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      ),
    );
  });
}

async function saved(page: Page, name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: `Save ${name}` }).press('Enter')]);
  return download.path();
}

/**
 * Policy lab: the sample without a key, a priced bundle of the service, and the reason that a packet's runner-up did
 * not win.
 */
export function describeLabPage(started: () => DefaultSystem, visitors: () => Visitors): void {
  it('without a key, by keyboard: changed numbers relabel the sample, invalid ones are reported, the policy is saved and reset', async () => {
    const { browser } = visitors();
    const { url } = started().system;
    const context = await newVisitor({ browser, url, screen: 'desktop', scheme: 'dark' });
    try {
      const { page, complaints } = await openPage(context, url, '/lab?set=dwell.packets:1');
      const outcome = page.getByRole('region', { name: 'Published and your policy' }).getByRole('status');
      const watch = page.getByLabel('Pressure, watch', { exact: true });
      await watch.fill('0.1');
      await page.waitForURL(/thresholds\.pressure\.watch/);
      await outcome.getByText(/windows? of 26 differs?/).waitFor();
      await page.getByRole('row', { name: /thresholds, pressure, watch\s+0\.16\s+0\.1$/ }).waitFor();
      await page
        .getByRole('button', { name: /^Show both decisions/ })
        .first()
        .press('Enter');
      await page.getByRole('row', { name: /^Pressure .*0\.160.*0\.100/ }).waitFor();
      expect(await axeFaults(page)).toEqual([]);
      const policyFile = await saved(page, 'policy.json');
      const lines = await diffPolicy(policyFile);
      expect(lines.filter(({ kind }) => kind === 'policy_value').map(({ path, a, b }) => [path, a, b])).toEqual([
        ['/dwell/packets', 4, 1],
        ['/thresholds/pressure/watch', 0.16, 0.1],
      ]);
      await page.getByText((lines.at(-1) as { policy_digests: { b: string } }).policy_digests.b).waitFor();
      const { numbers } = JSON.parse(readFileSync(policyFile, 'utf8')) as { numbers: object };
      expect(JSON.parse(readFileSync(await saved(page, 'numbers.json'), 'utf8'))).toEqual(numbers);
      const shown = await outcome.innerText();
      await page.reload();
      await outcome.getByText(shown, { exact: true }).waitFor();
      await watch.fill('0.4');
      await page.getByRole('alert').getByText('nothing was labeled: 1 fault').waitFor();
      await page.getByText('(0.3) is not above watch (0.4)').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      await page.getByRole('button', { name: 'Reset all' }).press('Enter');
      await page.getByText('26 of 26 packets match the published ones byte for byte').waitFor();
      await page.waitForURL((address) => address.searchParams.get('set') === null);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('a bundle costs at most the price on its button; the published numbers reproduce its packets, and a packet explains why the runner-up lost', async () => {
    const { browser, account, eventId } = visitors();
    const { url } = started().system;
    const context = await newVisitor({ browser, url, screen: 'phone', scheme: 'light', account });
    try {
      const { page, complaints } = await openPage(context, url, `/packet/${eventId}`);
      const whyNot = page.getByRole('region', { name: 'Why not the runner-up' });
      await whyNot
        .getByText(/raw winner|It wins regardless of the scores/)
        .first()
        .waitFor();
      await whyNot.getByRole('link', { name: 'Try other policy numbers' }).press('Enter');
      const load = page.getByRole('button', { name: 'Load, at most 52 credits' });
      await load.press('Enter');
      await page.getByText(/^None: (\d+) of \1 packets match the published ones byte for byte\.$/).waitFor();
      expect(await page.getByText(/^cost \d+ credits$/).count()).toBe(1);
      expect(await axeFaults(page)).toEqual([]);
      expect(await overhang(page)).toBe(0);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });

  it('a reader who is not logged in is asked to log in where a bundle would be loaded, and keeps the address', async () => {
    const { browser, eventId } = visitors();
    const { url } = started().system;
    const context = await newVisitor({ browser, url, screen: 'desktop', scheme: 'light' });
    try {
      const { page } = await openPage(context, url, `/lab?event=${eventId}&set=dwell.packets:1`);
      await page.getByRole('button', { name: /^Load,/ }).press('Enter');
      const login = page.getByRole('alert').getByRole('link', { name: 'Log in' });
      await login.waitFor();
      expect(decodeURIComponent((await login.getAttribute('href')) ?? '')).toContain(`event=${eventId}`);
    } finally {
      await context.close();
    }
  });
}
