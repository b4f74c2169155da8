import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { axeFaults, newVisitor, openPage, overhang, pathOf, PORTAL_PAGES, scrollTo, servedPages } from '@market-state/testing';
import type { SuiteContext } from '../harness';
import type { PortalScene } from './scene';

const LOOKS = [
  ['desktop', 'dark'],
  ['desktop', 'light'],
  ['phone', 'dark'],
  ['phone', 'light'],
] as const;
/** What comes later than the words that are waited for, such as charts, is drawn by then. */
const DRAWN_MS = 2_000;

/** Opens each page at both sizes in both themes: axe, the policy and the console find nothing, and pictures are kept to be looked at. */
export async function verifyEveryPage({ report, say }: SuiteContext, scene: PortalScene): Promise<void> {
  const folder = join(workspaceRoot(), 'dist', 'portal-pictures');
  mkdirSync(folder, { recursive: true });
  const known = new Set(PORTAL_PAGES.map(({ pattern }) => pattern));
  report.fail(...servedPages().flatMap((pattern) => (known.has(pattern) ? [] : [`${pattern} is served and not looked at.`])));
  let visits = 0;
  for (const { pattern, isOpen, words } of PORTAL_PAGES) {
    for (const [screen, scheme] of LOOKS) {
      const { browser, account, system, eventId, symbol, shareId } = scene;
      const context = await newVisitor({ browser, url: system.url, screen, scheme, ...(isOpen ? {} : { account }) });
      const where = `${pattern} on a ${screen}, ${scheme}`;
      try {
        const { page, complaints } = await openPage(context, system.url, pathOf(pattern, { symbol, eventId, shareId }));
        await scrollTo(page, words);
        await page.waitForTimeout(DRAWN_MS);
        const beyond = await overhang(page);
        report.fail(
          ...(await axeFaults(page)).map((fault) => `${where}: ${fault}`),
          ...complaints.map((complaint) => `${where}: ${complaint}`),
          ...(beyond === 0 ? [] : [`${where}: reaches ${beyond} px beyond the screen`]),
        );
        const name = pattern === '/' ? 'home' : pattern.slice(1).replaceAll(/[/:]+/g, '-');
        await page.screenshot({ path: join(folder, `${name}-${screen}-${scheme}.png`), fullPage: true });
        visits += 1;
      } catch (error) {
        report.fail(`${where}: ${error instanceof Error ? error.message : String(error)}`);
      } finally {
        await context.close();
      }
    }
    say(`${pattern} looked at`);
  }
  report.figure('pages, and visits of them without a fault of axe, policy or console', `${PORTAL_PAGES.length}, ${visits}`);
  report.figure('pictures', 'dist/portal-pictures');
}
