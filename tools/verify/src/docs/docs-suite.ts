import type { Browser } from 'playwright-core';
import {
  axeFaults,
  findChromium,
  keyOfNewTenant,
  launchChromium,
  newVisitor,
  openPage,
  overhang,
  startSystem,
  waitUntil,
} from '@market-state/testing';
import { needsChromium, type Report, type Suite } from '../harness';
import { runBlocks } from './page-blocks';
import { pagesOf, type ServedPage } from './served-pages';

/** History that the pages' spans need, minutes. */
const HISTORY_MINUTES = '65';
/** Every page is asked for several times, from one address. */
const NO_LIMIT_ON_FILES = { STATIC_RATE_PER_MINUTE: '100000', STATIC_BURST: '100000' };
const SCREENS = ['desktop', 'phone'] as const;
const SCHEMES = ['light', 'dark'] as const;

/** The documentation as the product serves it: what it says to run runs, what it links to is there, and any reader can use it. */
export const docsSuite: Suite = {
  id: 'docs',
  claim:
    'every block of the documentation that is marked to run does so as it stands, and from no key to a first answer it takes less than two ' +
    'minutes by curl, TypeScript, Python, the command line and as an agent; every link leads somewhere; every page has its text; axe, the browser and the content security policy find nothing on any of them',
  budget: { default: 1_000, counts: 'pages looked at in Chromium at most' },
  short: { seed: 1, budget: 8 },
  needs: [needsChromium],
  async run({ closer, report, budget, say }) {
    const system = await startSystem({ settings: { FEED_HISTORY_MINUTES: HISTORY_MINUTES, ...NO_LIMIT_ON_FILES } });
    closer.add('system', () => system.stop());
    const pages = await waitUntil('the pages', () => pagesOf(system.url));
    report.figure('pages', pages.length);
    await checkLinks(system.url, pages, report);
    say('links are followed');

    await runBlocks(await keyOfNewTenant(system), pages, report, closer);
    say('blocks are run');

    report.check(findChromium() !== null, 'There is no chromium on PATH, so no page was looked at.');
    if (findChromium() === null) return;
    const browser = await launchChromium();
    closer.add('browser', () => browser.close());
    const looked = await lookAt(browser, system.url, pages.slice(0, budget), report);
    report.figure('pages looked at', looked);
  },
};

async function checkLinks(url: string, pages: readonly ServedPage[], report: Report): Promise<void> {
  const targets = new Map<string, string>();
  for (const { path, html } of pages)
    for (const [, link = ''] of html.matchAll(/\shref="(\/[^"#]*)/g)) if (!targets.has(link)) targets.set(link, path);
  const dead: string[] = [];
  for (const [link, from] of targets) {
    const answer = await fetch(url + link.replaceAll('&amp;', '&'));
    await answer.arrayBuffer();
    if (answer.status !== 200) dead.push(`${from} leads to ${link}, which is ${answer.status}`);
  }
  report.figure('addresses that pages lead to', targets.size);
  report.fail(...dead);
}

/** Looks at every page once, in turns of screen and scheme. */
async function lookAt(browser: Browser, url: string, pages: readonly ServedPage[], report: Report): Promise<number> {
  for (const screen of SCREENS)
    for (const scheme of SCHEMES) {
      const own = pages.filter((_, at) => SCREENS[at % 2] === screen && SCHEMES[Math.floor(at / 2) % 2] === scheme);
      const context = await newVisitor({ browser, url, screen, scheme });
      for (const { path } of own) {
        const { page, complaints } = await openPage(context, url, path);
        const faults = [...(await axeFaults(page)), ...complaints];
        const over = await overhang(page);
        report.fail(...faults.map((fault) => `${path}, ${screen}, ${scheme}: ${fault}`));
        report.check(over === 0, `${path} reaches ${over} px beyond a ${screen}.`);
        await page.close();
      }
      await context.close();
    }
  return pages.length;
}
