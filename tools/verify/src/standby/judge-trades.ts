import { type Stores, withClient } from '@market-state/launcher';
import type { TradeRow } from '@market-state/simulated-venue';
import type { Report } from '../harness';
import { LIVE } from './scene';

/** Each trade of the venue is in the rows once, from the first that is to the last. */
export async function judgeTrades(
  report: Report,
  stores: Pick<Stores, 'postgresUrl'>,
  traded: ReadonlyMap<string, TradeRow>,
): Promise<void> {
  const ids = await withClient(stores.postgresUrl('data_plane'), async (client) => {
    const { rows } = await client.query<{ id: string | null }>(
      `SELECT venue_id AS id FROM log_entry WHERE symbol = $1 AND channel = 'trade' ORDER BY ordinal`,
      [LIVE],
    );
    return rows.map(({ id }) => id);
  });
  report.check(!ids.includes(null), 'A trade was logged twice.');
  const logged = new Set(ids.map(String));
  const times = [...logged].map((id) => traded.get(id)?.time ?? NaN);
  report.check(!times.some(Number.isNaN), 'A trade was logged that the venue never had.');
  const [firstMs, lastMs] = [times.reduce((a, b) => Math.min(a, b), Infinity), times.reduce((a, b) => Math.max(a, b), 0)];
  const lost = [...traded].filter(([id, { time }]) => time > firstMs && time < lastMs && !logged.has(id));
  report.check(lost.length === 0, `${lost.length} trades of the venue are not in the rows, ${lost[0]?.[0]} the first.`);
  report.figure('trades of the venue, each in the rows once', logged.size);
}
