import { waitUntil } from '@market-state/testing';
import { createDataReader, type DataReader, productsOf, rowsOf } from './data-reader';
import type { DefaultSystem } from '../../system/default-system';

const recorded = ['BTCUSD-PERP', 'ETHUSD-PERP'];
const simulated = 'SIMUSD-PERP';

/**
 * Tests of contract facts and liquidations: recordings without them, and the simulated venue, which has a liquidation
 * about every minute.
 */
export function describeVenueFacts(started: () => DefaultSystem): void {
  let reader: DataReader;
  beforeAll(() => {
    reader = createDataReader(started().api);
  });

  const facts = [
    'funding_rate',
    'open_interest',
    'open_interest_usd',
    'mark_price',
    'oracle_price',
    'basis_bps',
    'day_volume_usd',
    'funding_interval_hours',
  ];

  it.each(recorded)('%s has neither contract facts nor liquidations: nulls, not zeros', async (symbol) => {
    const context = await reader.read('context/active-asset', { symbol });
    const liquidations = await reader.read('liquidations/context', { symbol });
    expect([context.source_status, liquidations.source_status]).toEqual(['missing', 'missing']);
    for (const fact of facts) expect([fact, context[fact], context[`${fact}_as_of_utc`]]).toEqual([fact, null, null]);
    for (const field of ['event_total', 'long_notional_usd', 'short_notional_usd', 'skew', 'largest', 'rows'])
      expect([field, liquidations[field]]).toEqual([field, null]);
    await waitUntil('books and trades fresh, the others missing', async () => {
      const { channels } = await reader.read<{ channels: { channel: string; state: string; reported: boolean }[] }>('status/freshness', {
        symbol,
      });
      const states = channels.map(({ channel, state, reported }) => `${channel} ${state} ${reported ? 'reported' : 'not reported'}`);
      return states.join() === 'book fresh reported,trades fresh reported,context missing not reported,liquidations missing not reported';
    });
  });

  it(`${simulated} has the contract facts of its newest row, digit for digit`, async () => {
    const context = await reader.read('context/active-asset', { symbol: simulated });
    const atMs = Date.parse(context.as_of_utc);
    const row = await waitUntil(
      'the row of the contract facts',
      async () => rowsOf((await reader.window({ symbol: simulated, start: atMs, end: atMs + 1, channels: 'context' })).rows, 'context')[0],
    );
    for (const fact of ['funding_rate', 'open_interest', 'mark_price', 'oracle_price'])
      expect([fact, context[fact], context[`${fact}_as_of_utc`]]).toEqual([fact, row[fact], context.as_of_utc]);
    expect([context.source_status, context['day_volume_usd']]).toEqual(['fresh', row['day_volume']]);
    expect(productsOf([[String(context['open_interest_usd']), '1']])).toBe(
      productsOf([[String(row['open_interest']), String(row['mark_price'])]]),
    );
  });

  it(`${simulated} has liquidations whose sums are those of its rows`, async () => {
    type Liquidations = {
      event_total: number;
      long_notional_usd: string;
      short_notional_usd: string;
      rows: { venue_id: string }[];
    };
    const { answer, liquidations } = await waitUntil('the rows of liquidations that were answered', async () => {
      const read = await reader.read<Liquidations>('liquidations/context', { symbol: simulated, window_seconds: 3_600 });
      const end = Date.parse(read.as_of_utc) + 1;
      const { rows } = await reader.window({ symbol: simulated, start: end - 3_600_000, end, channels: 'liquidations' });
      const stored = rowsOf(rows, 'liquidations');
      const idsOf = (all: Liquidations['rows']) =>
        all
          .map(({ venue_id: id }) => id)
          .sort()
          .join();
      return read.rows.length > 0 && idsOf(read.rows) === idsOf(stored) && { answer: read, liquidations: stored };
    });
    const notional = (side: string) =>
      productsOf(liquidations.filter((row) => row['position_side'] === side).map(({ price, size }) => [price, size]));
    expect(answer.event_total).toBe(liquidations.length);
    expect([answer.long_notional_usd, answer.short_notional_usd].map((sum) => productsOf([[sum, '1']]))).toEqual([
      notional('long'),
      notional('short'),
    ]);
  });
}
