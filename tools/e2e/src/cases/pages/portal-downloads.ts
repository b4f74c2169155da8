import { readFileSync } from 'node:fs';
import { newVisitor, openPage, type Visiting } from '@market-state/testing';
import type { DefaultSystem } from '../../system/default-system';

const API = '/api/public/market-state';

/** Lists that are longer than the page shows are saved whole. */
export function describeDownloads(started: () => DefaultSystem, visitor: () => Required<Pick<Visiting, 'browser' | 'account'>>): void {
  it('"Download all" saves every receipt, also those that the page does not show', async () => {
    const { url } = started().system;
    const context = await newVisitor({ ...visitor(), url, screen: 'desktop', scheme: 'light' });
    try {
      const send = (path: string) => context.request.get(`${API}${path}`, { headers: { 'sec-fetch-site': 'same-origin' } });
      for (let call = 0; call < 60; call++) expect((await send('/latest?symbol=BTCUSD-PERP&view=compact')).status()).toBe(200);
      const usage = (await (await send('/usage?limit=1000')).json()) as { receipts: { receipt_id: string }[] };
      const ids = usage.receipts.map(({ receipt_id: id }) => id);
      expect(ids.length).toBeGreaterThan(50);
      const { page, complaints } = await openPage(context, url, '/usage');
      const button = page.getByRole('region', { name: 'Call receipts' }).getByRole('button', { name: 'Download all' });
      const [download] = await Promise.all([page.waitForEvent('download'), button.press('Enter')]);
      const saved = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\n');
      expect(saved.map((line) => (JSON.parse(line) as { receipt_id: string }).receipt_id)).toEqual(expect.arrayContaining(ids));
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  });
}
