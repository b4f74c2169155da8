import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { workspaceRoot } from '@market-state/launcher';
import {
  newVisitor,
  openPage,
  openBrowserPage,
  serveBuild,
  axeFaults,
  overhang,
  pathOf,
  PORTAL_PAGES,
  scrollTo,
  servedPages,
} from '@market-state/testing';
import type { Page } from 'playwright-core';
import { needsChromium, type Suite, type SuiteContext, firstOf } from '../harness';
import { verifyCheckout } from './checkout';
import { verifyConditions } from './conditions';
import { verifyPacketNumbers } from './packet-numbers';
import { openPortalScene, type PortalScene, storedPackets, visiting } from './scene';

const SYMBOL = 'BTCUSD-PERP';
/** Longer than a reader's first backoff, shorter than a window. */
const BETWEEN_CUTS_MS = 7_000;
const PACKET_MS = 10_000;
/** Packets reach the store some seconds after the stream. */
const STORED_MS = 30_000;
const TABLE_ROWS = 30;
const SHOWN_MAX = 5;

async function verifyCutStreams({ report, budget, say }: SuiteContext, scene: PortalScene): Promise<void> {
  await visiting(scene, { path: `/live/${SYMBOL}`, url: scene.line.url }, async (page) => {
    await page.getByText(/^(All|The newest) [\d,]+ packets( in the charts)? as a table$/).click();
    const first = Date.now();
    for (let cut = 1; cut <= budget; cut += 1) {
      await page.waitForTimeout(BETWEEN_CUTS_MS);
      scene.line.cut();
      if (cut % 5 === 0) say(`${cut} of ${budget} cuts`);
    }
    await page.waitForTimeout(STORED_MS);
    const addresses = await page
      .getByRole('group', { name: 'Packets' })
      .or(page.getByRole('region', { name: 'Packets' }))
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const drawn = addresses.map((address) => address.replace('/packet/', '')).reverse();
    const twice = drawn.filter((id, at) => drawn.indexOf(id) !== at);
    const stored = await storedPackets(scene, TABLE_ROWS * 3, Date.now() - 2 * TABLE_ROWS * PACKET_MS);
    // Newer packets may not have reached both sides yet.
    const common = stored.filter(({ event_id: id }) => drawn.includes(id)).at(-1)?.window_end_utc ?? '';
    const wanted = stored.filter(({ window_end_utc: end }) => end <= common).slice(-TABLE_ROWS + 2);
    const missing = wanted.filter(({ event_id: id }) => !drawn.includes(id));
    report.check(drawn.length === TABLE_ROWS, `The table has ${drawn.length} packets.`);
    report.check(wanted.length === TABLE_ROWS - 2, `Only ${wanted.length} stored packets were compared.`);
    report.fail(
      ...firstOf(
        [
          ...twice.map((id) => `Packet ${id} is shown twice.`),
          ...missing.map(({ window_end_utc: end }) => `The packet of ${end} is stored but not shown.`),
        ],
        SHOWN_MAX,
      ),
    );
    report.figure(
      'cuts; packets in that time, those shown',
      `${budget}; ${Math.floor((Date.now() - first) / PACKET_MS)}, ${wanted.length - missing.length} of ${wanted.length} compared`,
    );
  });
}

const LOOKS = [
  ['desktop', 'dark'],
  ['desktop', 'light'],
  ['phone', 'dark'],
  ['phone', 'light'],
] as const;
/** Later content such as charts is drawn after this time. */
const DRAWN_MS = 2_000;

async function verifyEveryPage({ report, say }: SuiteContext, scene: PortalScene): Promise<void> {
  const folder = join(workspaceRoot(), 'dist', 'portal-pictures');
  mkdirSync(folder, { recursive: true });
  const known = new Set(PORTAL_PAGES.map(({ pattern }) => pattern));
  report.fail(...servedPages().flatMap((pattern) => (known.has(pattern) ? [] : [`${pattern} is served but not checked.`])));
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
          ...(beyond === 0 ? [] : [`${where}: overflows the screen by ${beyond} px`]),
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
    say(`${pattern} checked`);
  }
  report.figure('pages; visits without an axe, policy or console fault', `${PORTAL_PAGES.length}, ${visits}`);
  report.figure('pictures', 'dist/portal-pictures');
}

const DRAWINGS = [
  { spanMs: 10_000, everyMs: 50, gapMs: 250 },
  { spanMs: 60_000, everyMs: 100, gapMs: 250 },
  { spanMs: 300_000, everyMs: 1_000, gapMs: 20_000 },
];
/** A line's ends extend by half its two-pixel width and are antialiased. */
const TOLERANCE_PX = 3;

/** Draws lines with gaps and counts empty pixel columns: a gap must be as wide as its duration. */
async function verifyGaps({ closer, report }: SuiteContext): Promise<void> {
  const served = await serveBuild(join(workspaceRoot(), 'apps', 'portal', 'tests', 'time-chart', 'page'));
  closer.add('page of a chart', () => served.close());
  const { page, complaints, close } = await openBrowserPage({ width: 1_400, height: 600, mobile: false });
  closer.add('browser of a chart', close);
  await page.goto(served.url);
  for (const drawing of DRAWINGS) {
    const { plotPx, inkless } = (await page.evaluate(
      (requested) => (globalThis as unknown as Drawing).drawGap(requested),
      drawing,
    )) as Drawn;
    const wanted = (drawing.gapMs * plotPx) / drawing.spanMs;
    const words = `a gap of ${drawing.gapMs} ms in ${drawing.spanMs / 1_000} s`;
    report.check(Math.abs(inkless.length - wanted) <= TOLERANCE_PX, `${words}: ${inkless.length} px empty, expected ${wanted.toFixed(1)}`);
    report.check(
      inkless.every((x, at) => at === 0 || x === (inkless[at - 1] ?? 0) + 1),
      `${words}: the line is also broken elsewhere`,
    );
    report.figure(words, `${inkless.length} px empty of ${plotPx}, expected ${wanted.toFixed(1)}`);
  }
  report.fail(...complaints);
}

interface Drawn {
  readonly plotPx: number;
  readonly inkless: readonly number[];
}

interface Drawing {
  drawGap(requested: object): Promise<unknown>;
}

const TABS_MAX = 200;
const CHECKED_MS = 30_000;

async function verifyKeyboard({ report }: SuiteContext, { browser, system, account, eventId }: PortalScene): Promise<void> {
  const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme: 'light' });
  try {
    const { page } = await openPage(context, system.url, `/packet/${eventId}`);
    await page.getByLabel('Email').waitFor();
    const presses = (await tabTo(page, 'Email')) ?? 0;
    await page.keyboard.type(account.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(account.password);
    await page.keyboard.press('Enter');
    await page.getByText('Why this label').waitFor();
    const further = await tabTo(page, 'Recompute,');
    report.check(further !== null, 'The button that recomputes a packet is not reachable by Tab.');
    if (further === null) return;
    await page.keyboard.press('Enter');
    const ticked = page.getByRole('region', { name: 'Recomputed in your browser' }).locator('[data-mark="yes"]');
    await ticked.nth(2).waitFor({ timeout: CHECKED_MS });
    report.figure('presses of Tab from the address to the login and from the packet to its recomputation', `${presses}, ${further}`);
  } finally {
    await context.close();
  }
}

/** Presses Tab until the focused element has these words. @returns number of presses, or null */
async function tabTo(page: Page, words: string): Promise<number | null> {
  for (let presses = 0; presses <= TABS_MAX; presses += 1) {
    const focused = String(
      await page.evaluate("((e) => (e.labels?.[0]?.innerText ?? e.innerText ?? '') + ' ' + (e.ariaLabel ?? ''))(document.activeElement)"),
    );
    const isField = await page.evaluate("['INPUT', 'BUTTON', 'A', 'SUMMARY'].includes(document.activeElement.tagName)");
    if (isField === true && focused.includes(words)) return presses;
    await page.keyboard.press('Tab');
  }
  return null;
}

const TABS = 7;
/** Maximum long-lived connections of a browser for any number of tabs. */
const STREAMS_MAX = 2;

/** Opens one tab more than a browser's connections per host: each must show its rows while one reads for all. */
async function verifyManyTabs({ report }: SuiteContext, { browser, system, account }: PortalScene): Promise<void> {
  const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme: 'dark', account });
  try {
    let streams = 0;
    context.on('request', (request) => void (new URL(request.url()).pathname.endsWith('/stream') ? (streams += 1) : 0));
    for (let tab = 1; tab <= TABS; tab += 1) {
      const { page } = await openPage(context, system.url, '/live');
      await page.getByText('up to date').first().waitFor();
    }
    report.check(streams <= STREAMS_MAX, `${TABS} tabs opened ${streams} streams.`);
    report.figure('tabs, and streams they opened', `${TABS}, ${streams}`);
  } finally {
    await context.close();
  }
}

const PARTS: Readonly<Record<string, (context: SuiteContext, scene: PortalScene) => Promise<void>>> = {
  pages: verifyEveryPage,
  keyboard: verifyKeyboard,
  numbers: verifyPacketNumbers,
  tabs: verifyManyTabs,
  cuts: verifyCutStreams,
  conditions: verifyConditions,
  checkout: verifyCheckout,
};

export const portalSuite: Suite = {
  id: 'portal',
  claim:
    'every page of the portal works at two sizes in two themes without an axe, policy or console fault; error conditions are shown in ' +
    'words; cut streams neither lose nor repeat a packet; a gap is as wide as its duration; values match the packet; a payment reaches the balance',
  budget: { default: 20, counts: "cuts of a page's streams" },
  short: { seed: 1, budget: 3 },
  needs: [needsChromium],
  async run(context) {
    const { closer, report, only } = context;
    const wanted = only?.split(',') ?? ['holes', ...Object.keys(PARTS)];
    if (wanted.includes('holes')) await verifyGaps(context);
    const parts = Object.entries(PARTS).filter(([name]) => wanted.includes(name));
    report.check(
      parts.length + Number(wanted.includes('holes')) === wanted.length,
      `Unknown part. Choose from: holes, ${Object.keys(PARTS).join(', ')}.`,
    );
    if (parts.length === 0) return;
    const scene = await openPortalScene(closer);
    for (const [, verify] of parts) await verify(context, scene);
  },
};
