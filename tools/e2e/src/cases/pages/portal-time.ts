import { axeFaults, newVisitor, openPage, overhang, pathOf, PORTAL_PAGES, scrollTo, type Visiting } from '@market-state/testing';
import type { Page } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';

interface TimeVisitor extends Pick<Visiting, 'browser' | 'account'> {
  readonly symbol: string;
  readonly eventId: string;
}

/** Every text with a time zone that a reader can see, hover over or hear. */
const ZONED = `[...document.querySelectorAll('body, body *:not([aria-label="Show UTC"])')].flatMap((element) => [
  ...[...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ nodeValue }) => nodeValue),
  ...['title', 'aria-label', 'aria-valuetext', 'data-column'].map((name) => element.getAttribute(name) ?? ''),
]).filter((text) => /\\bUTC\\b/.test(text))`;

/** Days are in UTC whichever zone is shown. */
const OF_DAYS = /^(?:Loading: )?Days?, (?:in )?UTC$/;

const zonedTexts = async (page: Page): Promise<readonly string[]> =>
  (await page.evaluate<readonly string[]>(ZONED)).filter((text) => !OF_DAYS.test(text));

const HOUR_MS = 3_600_000;
const FROM_MS = Date.parse('2026-11-25T18:00:00Z');

/** The header's switch changes times on every page immediately; addresses keep UTC. */
export function describeTimes(started: () => DefaultSystem, visitor: () => TimeVisitor): void {
  it.each([
    ['America/New_York', 'desktop', ['/packet/:event_id', '/replay']],
    ['Asia/Kolkata', 'phone', ['/status', '/how']],
  ] as const)(
    'in %s one click on a %s shows all times local with their zone, on every page; another shows UTC again',
    async (place, screen, patterns) => {
      const { url } = started().system;
      const { symbol, eventId, ...who } = visitor();
      const context = await newVisitor({ ...who, url, screen, scheme: 'light', timeZone: place });
      try {
        const zone = zoneOf(place, Date.now());
        const { page, complaints } = await openPage(context, url, `/live/${symbol}`);
        await page.locator('canvas').first().waitFor();
        expect((await zonedTexts(page)).filter((text) => text.includes(zone))).toEqual([]);
        await page.getByRole('button', { name: 'Show local time' }).press('Enter');
        await page.getByRole('button', { name: 'Show UTC' }).waitFor();
        expect((await zonedTexts(page)).filter((text) => !text.includes(zone))).toEqual([]);
        for (const { pattern, words } of PORTAL_PAGES.filter((each) => patterns.some((chosen) => chosen === each.pattern))) {
          await page.goto(pathOf(pattern, { symbol, eventId, shareId: '' }));
          await scrollTo(page, words);
          const said = await zonedTexts(page);
          expect(said.filter((text) => !text.includes(zone))).toEqual([]);
          expect(said.length).toBeGreaterThan(0);
        }
        expect(await axeFaults(page)).toEqual([]);
        expect(await overhang(page)).toBe(0);
        await page.getByRole('button', { name: 'Show UTC' }).press('Enter');
        await page.getByRole('button', { name: 'Show local time' }).waitFor();
        expect((await zonedTexts(page)).filter((text) => text.includes(zone))).toEqual([]);
        expect(complaints).toEqual([]);
      } finally {
        await context.close();
      }
    },
  );

  it('a field keeps its instant when the zone changes, and the resulting address is in UTC', async () => {
    const { url } = started().system;
    const { browser, account } = visitor();
    const context = await newVisitor({
      browser,
      url,
      screen: 'desktop',
      scheme: 'dark',
      timeZone: 'America/New_York',
      ...(account === undefined ? {} : { account }),
    });
    try {
      const span = `from=${new Date(FROM_MS).toISOString()}&to=${new Date(FROM_MS + HOUR_MS).toISOString()}`;
      const { page } = await openPage(context, url, `/search?${span}`);
      const from = page.getByLabel(/^From/);
      await from.fill('2026-11-25 17:45');
      await page.getByRole('button', { name: 'Show local time' }).press('Enter');
      await page.getByLabel('From, local time').waitFor();
      expect(Date.parse(`${await from.inputValue()} GMT-0500`)).toBe(FROM_MS - HOUR_MS / 4);
      await from.press('Enter');
      await page.waitForURL(/17%3A45/);
      expect(new URL(page.url()).searchParams.get('from')).toBe('2026-11-25T17:45:00Z');
    } finally {
      await context.close();
    }
  });
}

/** UTC offset of a time zone at an instant, such as `UTC-05:00`. */
function zoneOf(timeZone: string, atMs: number): string {
  const part = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
    .formatToParts(atMs)
    .find(({ type }) => type === 'timeZoneName');
  return (part?.value ?? '').replace('GMT', 'UTC');
}
