import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { launchChromium, newVisitor, openPage, openPortalAccount } from '@market-state/testing';
import type { BrowserContext, Page } from 'playwright-core';
import { recordSystem, type RunningSystem } from '../system/default-system';

/**
 * Pictures of the portal for the documentation, each in both themes: `node --import @oxc-node/core/register
 * tools/e2e/src/pictures/take-pictures.ts [--data-dir .data] [--only packet,lab]`
 */

const FOLDER = join(workspaceRoot(), 'docs', 'site', 'pictures');
const API = '/api/public/market-state';
const SYMBOL = 'BTCUSD-PERP';
const SIZE = { width: 1_200, height: 750, deviceScaleFactor: 1.25, mobile: false };
const QUALITY = 70;
/** Charts are drawn after their data has arrived. */
const DRAWN_MS = 3_000;

interface Picture {
  readonly name: string;
  /** `:event_id` is the most severe packet of half an hour. */
  readonly path: string;
  /** Waits for what the picture shows, and scrolls to it. */
  readonly prepare: (page: Page) => Promise<void>;
}

async function show(page: Page, words: string | RegExp): Promise<void> {
  await page.getByText(words).first().waitFor();
}

const pictures: readonly Picture[] = [
  { name: 'symbol', path: `/live/${SYMBOL}`, prepare: (page) => page.locator('canvas').first().waitFor() },
  { name: 'packet', path: '/packet/:event_id', prepare: (page) => show(page, 'Why this label') },
  {
    name: 'recompute',
    path: '/packet/:event_id',
    async prepare(page) {
      const panel = page.getByRole('region', { name: 'Recomputed in your browser' });
      await panel.getByRole('button', { name: /^Recompute/ }).press('Enter');
      await panel.locator('[data-mark="yes"]').nth(2).waitFor();
      await page.waitForTimeout(DRAWN_MS);
      await panel.locator('[data-mark]').last().scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'alerts',
    path: '/alerts',
    async prepare(page) {
      await page.getByLabel('Severity').first().selectOption('elevated_context');
      await page.getByRole('button', { name: /^Test in browser/ }).click();
      await page.getByRole('button', { name: /^Confirm on server/ }).scrollIntoViewIfNeeded();
    },
  },
  { name: 'search', path: '/search?symbol=ALL', prepare: (page) => show(page, 'Narrow by') },
  {
    name: 'lab',
    path: '/lab',
    async prepare(page) {
      await page.getByLabel('Pressure, watch').first().fill('0.1');
      await show(page, 'Policy values that differ');
    },
  },
];

async function severest(context: BrowserContext): Promise<string> {
  const toMs = Date.now() - 600_000;
  const history = await context.request.get(`${API}/history?symbol=${SYMBOL}&limit=200&from=${toMs - 1_800_000}&to=${toMs}`);
  const { rows } = (await history.json()) as { rows: readonly { readonly event_id: string; readonly severity_score: number }[] };
  const [first] = rows.toSorted((one, other) => other.severity_score - one.severity_score);
  if (first === undefined) throw new Error('The system has no packet of the last half hour.');
  return first.event_id;
}

async function takePictures(system: RunningSystem, only: readonly string[] | undefined): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const account = await openPortalAccount(system);
  const browser = await launchChromium();
  try {
    let eventId: string | undefined;
    for (const scheme of ['light', 'dark'] as const) {
      const context = await newVisitor({ browser, url: system.url, screen: 'desktop', scheme, account });
      eventId ??= await severest(context);
      for (const { name, path, prepare } of pictures) {
        if (only?.includes(name) === false) continue;
        const { page } = await openPage(context, system.url, path.replace(':event_id', eventId));
        const session = await context.newCDPSession(page);
        await session.send('Emulation.setDeviceMetricsOverride', SIZE);
        await prepare(page);
        await page.waitForTimeout(DRAWN_MS);
        const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
        const bytes = Buffer.from(data, 'base64');
        const file = `${name}${scheme === 'dark' ? '-dark' : ''}.webp`;
        writeFileSync(join(FOLDER, file), bytes);
        console.log(`${file}: ${bytes.length} bytes`);
        await page.close();
      }
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

await recordSystem(takePictures);
