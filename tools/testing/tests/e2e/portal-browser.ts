import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
const AXE = readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8');
export const PASSWORD = 'correct horse battery staple';
export const EMAIL = `portal-${randomBytes(6).toString('hex')}@example.com`;

/** A Chromium of this machine; undefined where there is none. */
function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => PROGRAMS.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/** Undefined where this machine has no Chromium. */
export const program = findChromium();

const SIZES = {
  desktop: { viewport: { width: 1_400, height: 900 }, isMobile: false, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, colorScheme: 'light' },
} as const;
type Size = keyof typeof SIZES;

/** A page that is open, with everything that the browser complained of. */
interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** What a busy gateway answers is asked for again by the SDK; the browser reports it all the same. */
const ASKED_AGAIN = /status of (?:429|503)/;

/** A browser of its own, logged in or not. */
export async function newContext(browser: Browser, url: string, size: Size, isLoggedIn: boolean): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, ...SIZES[size] });
  if (isLoggedIn) {
    const answer = await context.request.post('/api/public/market-state/account/auth/login', {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: { email: EMAIL, password: PASSWORD },
    });
    expect(answer.status()).toBe(200);
  }
  return context;
}

/** Opens a page, and notes whatever the browser complains of. */
export async function open(context: BrowserContext, url: string, path: string): Promise<Opened> {
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning';
    if (isComplaint && !ASKED_AGAIN.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) complaints.push(`request to ${request.url()}`);
  });
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (refused) => console.error('refused by the policy: ' + refused.violatedDirective + ' ' + refused.blockedURI))",
  );
  await page.goto(path);
  return { page, complaints };
}

/** What axe finds wrong, as rule and place. It is run in a world of its own, which the page's policy does not bind. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = (await session.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  await session.send('Runtime.evaluate', { contextId, expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' at ' + target + ': ' + failureSummary)))`,
  });
  return result.value as readonly string[];
}

/** All that a page keeps: storage, cookies that scripts see, its address, its entry of the history, its elements, and what fields hold. */
export function keptBy(page: Page): Promise<string> {
  return page.evaluate(
    `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML,
      [...document.querySelectorAll('input, textarea')].map(({ value }) => value)])`,
  );
}
