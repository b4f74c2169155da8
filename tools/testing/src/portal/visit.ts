import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { System } from '@market-state/launcher';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { keyOfNewTenant } from '../tenants';

const PATIENCE_MS = 120_000;

const AXE = readFileSync(createRequire(import.meta.filename).resolve('axe-core/axe.min.js'), 'utf8');
const PASSWORD = 'correct horse battery staple';
const API = '/api/public/market-state';

export interface PortalAccount {
  readonly email: string;
  readonly password: string;
}

export const SCREENS = {
  desktop: { viewport: { width: 1_400, height: 900 }, isMobile: false },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true },
} as const;
export type ScreenName = keyof typeof SCREENS;

export interface Visiting {
  readonly browser: Browser;
  readonly url: string;
  readonly screen: ScreenName;
  readonly scheme: 'dark' | 'light';
  /** IANA time zone of the browser; default: this machine's. */
  readonly timeZone?: string;
  readonly account?: PortalAccount;
}

export interface OpenedPage {
  readonly page: Page;
  /** Console errors and warnings, policy violations, and requests to other origins. */
  readonly complaints: readonly string[];
}

export async function openPortalAccount(system: Pick<System, 'url' | 'dataDir' | 'rpc'>): Promise<PortalAccount> {
  const account = { email: `portal-${randomBytes(6).toString('hex')}@example.com`, password: PASSWORD };
  const claimed = await fetch(`${system.url}${API}/account/auth/claim`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...account, api_key: await keyOfNewTenant(system) }),
  });
  if (claimed.status !== 200) throw new Error(`The account was not created: ${claimed.status} ${await claimed.text()}`);
  return account;
}

/** A separate browser profile, logged in if an account is given. */
export async function newVisitor({ browser, url, screen, scheme, timeZone, account }: Visiting): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    ...SCREENS[screen],
    colorScheme: scheme,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
  });
  if (account === undefined) return context;
  const answer = await context.request.post(`${API}/account/auth/login`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: account,
  });
  if (answer.status() !== 200) throw new Error(`The login was refused: ${answer.status()} ${await answer.text()}`);
  return context;
}

/** The SDK retries these answers of a busy gateway; the browser still logs them. */
const ASKED_AGAIN = /status of (?:429|503)/;

export async function openPage(context: BrowserContext, url: string, path: string): Promise<OpenedPage> {
  const complaints: string[] = [];
  context.setDefaultTimeout(PATIENCE_MS);
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

/** Runs axe in an isolated world, which the page's policy does not restrict. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = (await session.send('Page.getFrameTree')) as { frameTree: { frame: { id: string } } };
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id });
  await session.send('Runtime.evaluate', { contextId, expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    contextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' at ' + target + ': ' + failureSummary)))`,
  });
  return result.value as readonly string[];
}

/** A phone's window grows with its content; its screen does not. */
export async function overhang(page: Page): Promise<number> {
  return Math.max(0, (await page.evaluate('document.documentElement.scrollWidth - Math.min(innerWidth, screen.width)')) as number);
}

const BETWEEN_SCROLLS_MS = 50;

/** @throws Error with the current content */
export async function scrollTo(page: Page, words: string): Promise<void> {
  const place = page.getByText(words).first();
  for (const endMs = Date.now() + PATIENCE_MS; !(await place.isVisible()); await page.waitForTimeout(BETWEEN_SCROLLS_MS)) {
    if (Date.now() > endMs) throw new Error(`"${words}" did not appear on ${page.url()}, which shows: ${await page.innerText('body')}`);
    await page.keyboard.press('End');
  }
}

export function keptBy(page: Page): Promise<string> {
  return page.evaluate(
    `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, document.documentElement.outerHTML,
      [...document.querySelectorAll('input, textarea')].map(({ value }) => value)])`,
  );
}
