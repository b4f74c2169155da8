import { newVisitor, openPage, pathOf, scrollTo, type Visiting } from '@market-state/testing';
import type { Locator } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';

interface Opened {
  readonly pattern: string;
  /** Shown when everything is loaded; null for a page that keeps reading. */
  readonly loaded: string | null;
}

const PAGES: readonly Opened[] = [
  { pattern: '/live', loaded: null },
  { pattern: '/live/:symbol', loaded: null },
  { pattern: '/packet/:event_id', loaded: 'Source rows' },
  { pattern: '/replay', loaded: 'Not loaded yet:' },
  { pattern: '/search?symbol=ALL', loaded: 'cost ' },
  { pattern: '/stability', loaded: 'Transitions' },
  { pattern: '/exports', loaded: 'Get a quote' },
];
const FREE_CALLS = /\/(?:account\/me|workspace\/data\/catalog|readyz)(?:\?|$)/;
const COST_NOTICE = /Opening this page (?:is free|costs at most ([\d,]+) credits?)/;

async function creditsIn(text: Locator, pattern: RegExp): Promise<number> {
  return Number((pattern.exec(await text.innerText())?.[1] ?? '0').replaceAll(',', ''));
}

/** Pages that spend credits when they are opened. */
export function describeOpeningCosts(
  started: () => DefaultSystem,
  visitor: () => Required<Pick<Visiting, 'browser' | 'account'>> & { readonly eventId: string },
): void {
  it.each(PAGES)('$pattern reports what it costs to open before its first paid call, and costs no more', async ({ pattern, loaded }) => {
    const { url } = started().system;
    const { eventId, ...visiting } = visitor();
    const context = await newVisitor({ ...visiting, url, screen: 'desktop', scheme: 'light' });
    try {
      const delayed: (() => Promise<void>)[] = [];
      let isDelaying = true;
      await context.route('**/api/**', (route) => {
        if (isDelaying && !FREE_CALLS.test(route.request().url())) delayed.push(() => route.continue());
        else return route.continue();
      });
      const { page } = await openPage(context, url, pathOf(pattern, { symbol: 'BTCUSD-PERP', eventId, shareId: '' }));
      const notice = page.getByText(COST_NOTICE);
      await notice.waitFor();
      const creditsAtMost = await creditsIn(notice, COST_NOTICE);
      isDelaying = false;
      await Promise.all(delayed.map((release) => release()));
      if (loaded === null) return expect(creditsAtMost).toBeGreaterThan(0);
      await scrollTo(page, loaded);
      const spent = page.getByTitle('Charged since this page was opened');
      expect(await creditsIn(spent, /([\d,]+) credits/)).toBeLessThanOrEqual(creditsAtMost);
    } finally {
      await context.close();
    }
  });
}
