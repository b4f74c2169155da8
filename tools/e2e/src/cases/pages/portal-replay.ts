import { axeFaults, openPage, scrollTo } from '@market-state/testing';
import type { BrowserContext } from 'playwright-core';
import type { DefaultSystem } from '../../system/default-system';

/** Plays two chunks of a symbol's oldest packets, and compares them with the stored ones. */
export async function replaysWhatIsStored(context: BrowserContext, { api, system }: DefaultSystem, symbol: string): Promise<void> {
  const history = `/api/public/market-state/history?symbol=${symbol}&limit=100`;
  const stored = async (query: string): Promise<readonly { event_id: string; window_end_utc: string }[]> =>
    ((await api.getWithKey(history + query)).body as { rows: { event_id: string; window_end_utc: string }[] }).rows;
  const fromMs = Date.parse((await stored(''))[0]?.window_end_utc ?? '');
  // Two chunks: five minutes, and forty seconds more.
  const toMs = fromMs + 340_000;
  const storedUpTo = async (ms: number): Promise<readonly string[]> =>
    (await stored(`&from=${fromMs}&to=${ms + 1}`)).map(({ event_id: id }) => `/packet/${id}`).toReversed();
  const span = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
  const { page, complaints } = await openPage(context, system.url, `/replay?symbol=${symbol}&${span}&speed=20`);
  await scrollTo(page, 'Not loaded yet:');
  const requested: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/') && !pathname.endsWith('/account/me')) requested.push(pathname);
  });
  const cursor = page.getByRole('region', { name: 'Replay' }).getByRole('time');
  const drawn = (): Promise<readonly (string | null)[]> =>
    page
      .getByRole('region', { name: 'Packets' })
      .getByRole('rowheader')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));

  await page.keyboard.press('Space');
  await page.getByText('SHA-256 of its rows').first().waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/in the charts as a table/).click();
  const pausedMs = Date.parse((await cursor.getAttribute('datetime')) ?? '');
  expect(pausedMs).toBeLessThan(toMs);
  expect(await drawn()).toEqual(await storedUpTo(pausedMs));

  await page.getByLabel('Speed').selectOption('100');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.locator(`time[datetime="${new Date(toMs).toISOString()}"]`).waitFor();
  const whole = await storedUpTo(toMs);
  expect(whole.length).toBeGreaterThan(30);
  expect(await drawn()).toEqual(whole);
  expect(requested.map((path) => path.slice(path.lastIndexOf('/')))).toEqual(['/replay', '/replay']);

  const bar = page.getByLabel('Position in the span');
  await bar.fill(String(fromMs));
  expect(await drawn()).toEqual(await storedUpTo(fromMs));
  await page.keyboard.press(']');
  await page.keyboard.press('ArrowRight');
  expect(await cursor.getAttribute('datetime')).toBe(new Date(fromMs + 11_000).toISOString());
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Pause' }).click();
  await bar.fill(String(toMs));
  expect(await drawn()).toEqual(whole);
  expect(requested).toHaveLength(2);
  expect(await axeFaults(page)).toEqual([]);
  expect(complaints).toEqual([]);
}
