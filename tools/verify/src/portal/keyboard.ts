import { newVisitor, openPage } from '@market-state/testing';
import type { Page } from 'playwright-core';
import type { SuiteContext } from '../harness';
import type { PortalScene } from './scene';

const TABS_MAX = 200;
/** A bundle is loaded and checked by then. */
const CHECKED_MS = 30_000;

/** From the login to a packet that is made again, by keyboard alone. */
export async function verifyKeyboard({ report }: SuiteContext, { browser, system, account, eventId }: PortalScene): Promise<void> {
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
    const further = await tabTo(page, 'Recompute it');
    report.check(further !== null, 'The button that makes a packet again is not reached by Tab.');
    if (further === null) return;
    await page.keyboard.press('Enter');
    const ticked = page.getByRole('region', { name: 'Made again in your browser' }).locator('[data-mark="yes"]');
    await ticked.nth(2).waitFor({ timeout: CHECKED_MS });
    report.figure('presses of Tab from the address to the login and from the packet to its recomputation', `${presses}, ${further}`);
  } finally {
    await context.close();
  }
}

/** Presses Tab until what has the focus says these words; null when nothing does. */
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
