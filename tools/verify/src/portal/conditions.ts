import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { openPortalAccount } from '@market-state/testing';
import type { BrowserContext, Page } from 'playwright-core';
import { parse } from 'yaml';
import type { SuiteContext } from '../harness';
import { type PortalScene, visiting } from './scene';

const FEED = 'data-plane-feed';
/** A packet is stale 25 s after its window; the next window may have just closed. */
const STALE_MS = 60_000;
/** A page that is hidden for a minute closes its streams. */
const HIDDEN_MS = 62_000;
const LATE_MS = 1_500;
const SPEND_CONTROLS = '/api/public/market-state/account/spend-controls';

/** Something that can be the matter, forced on the started product, and the words in which a page must say it. */
interface Condition {
  readonly name: string;
  force(scene: PortalScene, said: Said): Promise<void>;
}

/** Waits until a page says these words. @throws Error when it does not */
type Said = (page: Page, words: string | RegExp) => Promise<void>;

/** Answers calls whose path ends so with a problem as the document shows it, and what is given in its place. */
async function refuse(
  page: Page,
  path: string,
  problem: string,
  changes: { readonly headers?: Record<string, string>; readonly body?: object } = {},
) {
  const file = join(workspaceRoot(), 'apps', 'gateway', 'openapi', 'examples', 'problems', `problem-${problem}.yaml`);
  const { value } = parse(readFileSync(file, 'utf8')) as { readonly value: { readonly status: number } };
  await page.route(
    (url) => url.pathname.endsWith(path),
    (route) =>
      route.fulfill({
        status: value.status,
        contentType: 'application/problem+json',
        headers: changes.headers ?? {},
        body: JSON.stringify({ ...value, ...changes.body }),
      }),
  );
}

/** Opens the keys page, which costs nothing, then another one within it, with a refusal in between. */
async function refusedUsage(
  scene: PortalScene,
  problem: string,
  look: (page: Page) => Promise<void>,
  changes?: Parameters<typeof refuse>[3],
) {
  await visiting(scene, { path: '/keys' }, async (page) => {
    await page.getByText('Making, changing and ending keys').waitFor();
    await refuse(page, '/usage', problem, changes);
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await look(page);
  });
}

const CONDITIONS: readonly Condition[] = [
  {
    name: 'loading',
    force: (scene) =>
      visiting(scene, { path: '/keys' }, async (page) => {
        await page.getByText('Making, changing and ending keys').waitFor();
        await page.route(
          (url) => url.pathname.endsWith('/usage'),
          async (route) => {
            await page.waitForTimeout(LATE_MS);
            await route.continue();
          },
        );
        await page.keyboard.press('g');
        await page.keyboard.press('u');
        await page.getByRole('heading', { name: 'Usage' }).waitFor();
        await page.getByRole('status', { name: 'Loading balances and spend' }).waitFor({ state: 'attached' });
        await page.getByText('This use on every tier').waitFor();
      }),
  },
  {
    name: 'empty',
    async force(scene, said) {
      const account = await openPortalAccount(scene.system);
      await visiting(scene, { path: '/usage?credit=export', account }, (page) =>
        said(page, 'No credit of this kind was spent in this window.'),
      );
    },
  },
  {
    name: 'recorded and simulated',
    force: (scene, said) =>
      visiting(scene, { path: '/live' }, async (page) => {
        await said(page, 'A recording of a real market, moved to now: not what the venue says now.');
        await said(page, 'Made by a simulated venue: no real market.');
      }),
  },
  {
    name: 'stale, then fresh again',
    force: (scene, said) =>
      visiting(scene, { path: '/live/BTCUSD-PERP' }, async (page) => {
        await said(page, 'up to date');
        scene.system.processes.signal(FEED, 'SIGSTOP');
        try {
          await page.getByText(/^stale, as of \d\d:\d\d:\d\d UTC$/).waitFor({ timeout: STALE_MS });
          await said(page, 'no packet for 25 s');
        } finally {
          scene.system.processes.signal(FEED, 'SIGCONT');
        }
        await page.getByText('up to date').waitFor({ timeout: STALE_MS });
      }),
  },
  {
    name: 'reconnecting, and nothing lost',
    force: (scene, said) =>
      visiting(scene, { path: '/live', url: scene.line.url }, async (page) => {
        await said(page, 'up to date');
        scene.line.setClosed(true);
        try {
          await said(page, /^reconnecting in \d+ s$/);
          await page.waitForTimeout(LATE_MS);
        } finally {
          scene.line.setClosed(false);
        }
        await page.getByText('up to date; reconnected, nothing lost').waitFor({ timeout: STALE_MS });
      }),
  },
  {
    name: 'messages skipped',
    force: (scene, said) =>
      visiting(scene, { path: '/login' }, async (page) => {
        const skipped = { symbol: 'BTCUSD-PERP', from_id: 'a', to_id: 'b', row_total: 3, by_channel: { packets: 3 }, gap_total: 0 };
        await page.route(
          (url) => url.pathname.endsWith('/market-state/stream'),
          (route) => route.fulfill({ contentType: 'text/event-stream', body: `event: skipped\ndata: ${JSON.stringify(skipped)}\n\n` }),
          { times: 1 },
        );
        await page.goto('/live');
        await said(page, /3 messages skipped/);
      }),
  },
  {
    name: '401: the login keeps the address',
    force: (scene) =>
      visiting(scene, { path: '/usage?days=7' }, async (page, context: BrowserContext) => {
        await page.getByText('This use on every tier').waitFor();
        await context.clearCookies();
        await page.reload();
        await page.getByLabel('Email').waitFor();
        await page.getByLabel('Email').fill(scene.account.email);
        await page.getByLabel('Password', { exact: true }).fill(scene.account.password);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/usage?days=7');
      }),
  },
  {
    name: '402: the cap, and what goes through',
    async force(scene, said) {
      const account = await openPortalAccount(scene.system);
      await visiting(scene, { path: '/keys', account }, async (page, context) => {
        const capped = await context.request.put(SPEND_CONTROLS, {
          headers: { 'sec-fetch-site': 'same-origin' },
          data: { monthly_credit_cap: null, daily_credit_cap: 1, per_call_credit_ceiling: null, export_credit_cap: null },
        });
        if (capped.status() !== 200) throw new Error(`The cap was refused: ${capped.status()} ${await capped.text()}`);
        await page.goto('/live/BTCUSD-PERP');
        await said(page, /A call of \d+ credits? at most goes through|The compact view and fewer symbols cost less/);
      });
    },
  },
  {
    name: '403: whom to ask',
    force: (scene, said) => refusedUsage(scene, 'insufficient-scope', (page) => said(page, 'Ask whoever owns the account for this right.')),
  },
  {
    name: '410: a link moves the span to the oldest that is kept',
    force: (scene) =>
      visiting(scene, { path: '/keys' }, async (page) => {
        await refuse(page, '/labels/stability', 'beyond-retention');
        await page.goto('/stability?symbol=BTCUSD-PERP&from=2026-10-26T08:00:00Z&to=2026-10-26T09:00:00Z');
        await page.getByRole('link', { name: 'Show what is kept, from 2026-10-26 10:00:00 UTC on' }).press('Enter');
        await page.waitForURL((address) => isSpan(address, '2026-10-26T10:00:00Z', '2026-10-26T11:00:00Z'));
      }),
  },
  {
    name: '410: a page without a span leads to the replay of the oldest that is kept',
    force: (scene) =>
      refusedUsage(scene, 'beyond-retention', async (page) => {
        await page.getByRole('link', { name: 'Replay what is kept, from 2026-10-26 10:00:00 UTC on' }).press('Enter');
        await page.waitForURL(
          (address) => address.pathname === '/replay' && isSpan(address, '2026-10-26T10:00:00Z', '2026-10-26T11:00:00Z'),
        );
      }),
  },
  {
    name: '422: the fault stands at its field',
    force: (scene) =>
      visiting(scene, { path: '/usage' }, async (page) => {
        const form = page.getByRole('region', { name: 'Estimate' });
        await form.getByLabel('Symbol').fill('no symbol');
        await form.getByRole('button', { name: 'What would it cost?' }).click();
        await form.locator('input[name="symbol"][aria-invalid="true"]').waitFor();
      }),
  },
  {
    name: '429: counts down',
    force: (scene, said) =>
      refusedUsage(scene, 'rate-limited', (page) => said(page, /^Try again in [34]\d s$/), {
        headers: { 'retry-after': '45' },
        body: { retry_after_seconds: 45 },
      }),
  },
  {
    name: '503: try again, with the id of the request',
    force: (scene, said) =>
      refusedUsage(scene, 'upstream-unavailable', async (page) => {
        await said(page, 'Try again');
        await said(page, /^request/);
      }),
  },
  {
    name: 'hidden for a minute: the streams close, and go on when it is seen again',
    force: (scene, said) =>
      visiting(scene, { path: '/live' }, async (page) => {
        await said(page, 'up to date');
        await setHidden(page, true);
        await page.getByText('paused while hidden').waitFor({ timeout: HIDDEN_MS + STALE_MS });
        await setHidden(page, false);
        await page.getByText('up to date').waitFor({ timeout: STALE_MS });
      }),
  },
];

const isSpan = ({ searchParams }: URL, from: string, to: string): boolean =>
  searchParams.get('from') === from && searchParams.get('to') === to;

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${isHidden ? 'hidden' : 'visible'}' });
     document.dispatchEvent(new Event('visibilitychange'))`,
  );
}

const WAIT_MS = 20_000;
const said: Said = (page, words) => page.getByText(words).first().waitFor({ timeout: WAIT_MS });

/** Forces each condition, and waits for its words. */
export async function verifyConditions({ report, say }: SuiteContext, scene: PortalScene): Promise<void> {
  let held = 0;
  for (const { name, force } of CONDITIONS) {
    try {
      await force(scene, said);
      held += 1;
      say(`said: ${name}`);
    } catch (error) {
      report.fail(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  report.figure('conditions forced, and said in words', `${CONDITIONS.length}, ${held}`);
}
