import { axeFaults, newVisitor, openPage, type Visiting } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

const MINUTE_MS = 60_000;
const SIMULATED = 'SIMUSD-PERP: Made by a simulated venue: no real market.';
/** Above what the page holds to check. */
const LARGE_BYTES = 84_000_000;

/** The page of exports: what files hold is said before and after they are ordered, and how to check those that the page cannot. */
export function describeExportsPage(started: () => DefaultSystem, visitor: () => Pick<Visiting, 'browser' | 'account'>): void {
  it('an export of a simulated venue says so before and after it is ordered, whatever the catalog says later; how to check a file that is too large stands beside it', async () => {
    const { url } = started().system;
    const context = await newVisitor({ ...visitor(), url, screen: 'phone', scheme: 'dark' });
    try {
      const toMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
      const span = `from=${new Date(toMs - 2 * MINUTE_MS).toISOString()}&to=${new Date(toMs).toISOString()}`;
      const { page, complaints } = await openPage(context, url, `/exports?dataset=trades&format=csv&symbols=SIMUSD-PERP&${span}`);
      const from = page.getByLabel('From, UTC');
      const typed = await from.inputValue();
      await from.fill('soon');
      await page.getByRole('button', { name: 'Count rows and cost' }).click();
      await page.getByText('Write it as YYYY-MM-DD HH:MM').waitFor();
      await from.fill(typed);
      await page.getByRole('button', { name: 'Count rows and cost' }).click();
      const simulated = page.getByRole('note').filter({ hasText: SIMULATED });
      await simulated.waitFor();
      await page.getByRole('button', { name: /^Order it, at most \d+ export credits?$/ }).click();
      const job = page.getByRole('region', { name: 'Open job' });
      await job.getByText('free to download').waitFor();
      await job.getByRole('note').filter({ hasText: SIMULATED }).waitFor();

      await page.route(
        ({ pathname }) => pathname.endsWith('/result'),
        async (route) => {
          const answer = await route.fetch();
          const body = (await answer.json()) as { files: { bytes: number }[] };
          const files = body.files.map((file, at) => (at === 0 ? { ...file, bytes: LARGE_BYTES } : file));
          await route.fulfill({ response: answer, json: { ...body, files } });
        },
      );
      await page.route(
        ({ pathname }) => pathname.endsWith('/data/catalog'),
        async (route) => {
          const answer = await route.fetch();
          const body = (await answer.json()) as { symbols: object[] };
          await route.fulfill({
            response: answer,
            json: { ...body, symbols: body.symbols.map((each) => ({ ...each, source_kind: 'live' })) },
          });
        },
      );
      await page.reload();
      await job.getByRole('note').filter({ hasText: SIMULATED }).waitFor();
      await job.getByText(/^1 file of more than 64 MB/).waitFor();
      await job.getByText('sha256sum --check --ignore-missing SHA256SUMS').waitFor();
      await job.getByText('not checked here').waitFor();
      expect(await axeFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}
