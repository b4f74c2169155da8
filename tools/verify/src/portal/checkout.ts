import { axeFaults, openPortalAccount, stripeEvents } from '@market-state/testing';
import type { Page } from 'playwright-core';
import type { SuiteContext } from '../harness';
import { type PortalScene, visiting } from './scene';

const API = '/api/public/market-state';
const CHECKOUTS = '/v1/checkout/sessions';
const PAYMENTS = 'https://checkout.stripe.example/';
/** The page polls every two seconds for the payment. */
const BOOKED_MS = 20_000;

/** A top-up from the button to the balance: to the provider's page, back without and with a payment, and booked while the page is open. */
export async function verifyCheckout({ report }: SuiteContext, scene: PortalScene): Promise<void> {
  const { system, stripe } = scene;
  const account = await openPortalAccount(system);
  await visiting(scene, { path: '/billing', account }, async (page) => {
    const before = await creditsLeft(page);
    await orderTopup(page);
    const { success_url: paidUrl = '', cancel_url: leftUrl = '' } = stripe.calls.findLast(({ path }) => path === CHECKOUTS)?.form ?? {};
    const order = new URL(paidUrl).searchParams.get('order') ?? '';

    await page.goto(leftUrl);
    await page.getByText('Checkout was cancelled. Nothing was charged.').waitFor();
    report.check((await creditsLeft(page)) === before, 'An abandoned checkout changes the balance.');

    await page.goto(paidUrl);
    await page.getByText('Your payment is being processed').waitFor();
    report.check((await creditsLeft(page)) === before, 'The balance changes before the payment is confirmed.');
    await page.evaluate('void (window.sameDocument = true)');
    const { body, signature } = stripe.sign(stripeEvents.sessionCompleted(order, null));
    const reported = await fetch(`${system.url}${API}/account/billing/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'stripe-signature': signature },
      body,
    });
    report.check(reported.status === 200, `The payment event was refused: ${reported.status}`);
    await page.getByText('Your payment is complete').waitFor({ timeout: BOOKED_MS });
    await page.getByRole('row', { name: new RegExp(order) }).waitFor();
    const after = await waitForMore(page, before);
    report.check(after > before, `The balance is ${after} after the payment, ${before} before it.`);
    report.check((await page.evaluate('window.sameDocument')) === true, 'The page was reloaded.');
    report.fail(...(await axeFaults(page)).map((fault) => `/billing after a payment: ${fault}`));
    report.figure('credits on /billing before and after a top-up, without a reload', `${before}, ${after}`);
  });
}

async function orderTopup(page: Page): Promise<void> {
  await page.route(`${PAYMENTS}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Pay</title>' }));
  await page.getByRole('button', { name: /^Buy a top-up for/ }).press('Enter');
  await page.waitForURL(`${PAYMENTS}**`);
}

async function creditsLeft(page: Page): Promise<number> {
  const words = await page.getByRole('region', { name: 'Your plan' }).locator('dd:has(a)').innerText();
  return Number(/^[\d,]+/.exec(words)?.[0].replaceAll(',', ''));
}

async function waitForMore(page: Page, before: number): Promise<number> {
  for (const endMs = Date.now() + BOOKED_MS; Date.now() < endMs; await page.waitForTimeout(100)) {
    const left = await creditsLeft(page);
    if (left > before) return left;
  }
  return creditsLeft(page);
}
