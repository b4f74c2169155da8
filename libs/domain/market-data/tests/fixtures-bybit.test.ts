import { readFileSync } from 'node:fs';
import { openRecording } from '../src/index';
import { rowsOf, withoutTicks } from './fixture-logs';
import { fixturePath, play, playFiles, textFile } from './open-files';

describe('bybit', () => {
  const path = fixturePath('bybit', 'btcusdt-dogeusdt.jsonl');

  it('keeps the book by its update ids: a gap at a jump, whole again at a snapshot, lost with the connection', async () => {
    const { recording, events, rejections } = await playFiles([path], 'BTCUSD-PERP');
    expect(recording.symbols).toEqual(['BTCUSD-PERP', 'DOGEUSD-PERP']);
    expect(withoutTicks(events)).toEqual([
      'connected',
      'context 20 #753843900397',
      'trade 114 #a9188a0a-82bc-50de-be60-03eedbe3cdd7',
      'context 190 #753843900410',
      'book 95 #101 65114.2/65114.3',
      'liquidation 290 #',
      'liquidation 291 #',
      'gap',
      'resynced',
      'book 995 #1 65114.2/65114.4',
      'gap',
      'connected',
      'resynced',
      'context 1700 #753843900500',
      'book 1695 #900 65115/65115.1',
    ]);
    expect(rejections).toEqual({
      broken_line: 1,
      broken_json: 1,
      unknown_message: 1,
      bad_price: 1,
      bad_size: 1,
      future_time: 1,
      duplicate: 1,
    });
  });

  it('reports the channels that were subscribed, silent ones too', async () => {
    const channelsOf = async (symbol: string): Promise<unknown> => (await playFiles([path], symbol)).events[0];
    expect(await channelsOf('BTCUSD-PERP')).toMatchObject({
      status: { channels: ['book', 'trade', 'context', 'liquidation'], closingLagMs: 1_000 },
    });
    expect(await channelsOf('DOGEUSD-PERP')).toMatchObject({ status: { channels: ['book', 'trade', 'context'] } });
  });

  it('merges ticker deltas over the last full one, with the funding rate per hour', async () => {
    const { events } = await playFiles([path], 'BTCUSD-PERP');
    const facts = rowsOf(events, 'context').map(
      ({ funding_rate, venue_funding_rate, funding_interval_hours, open_interest, mark_price, oracle_price, day_volume }) => [
        funding_rate,
        venue_funding_rate,
        funding_interval_hours,
        open_interest,
        mark_price,
        oracle_price,
        day_volume,
      ],
    );
    expect(facts).toEqual([
      ['0.0000125', '0.0001', 8, '59891.732', '65117.44', '65137.76', '1142118412.9021'],
      ['0.0000125', '0.0001', 8, '59891.800', '65118.00', '65137.76', '1142118412.9021'],
      [undefined, undefined, undefined, undefined, '65120.00', undefined, undefined],
    ]);
  });

  it('says whose position was liquidated: "Buy" is a long', async () => {
    const { events } = await playFiles([path], 'BTCUSD-PERP');
    expect(
      rowsOf(events, 'liquidation').map(({ position_side, price, size, provenance }) => [position_side, price, size, provenance]),
    ).toEqual([
      ['long', '65000.1', '0.15', 'venue_reported'],
      ['short', '65500', '0.02', 'venue_reported'],
    ]);
  });
});

describe('bybit without its snapshots', () => {
  it('has no book, and counts the changes that waited for one', async () => {
    const lines = readFileSync(fixturePath('bybit', 'btcusdt-dogeusdt.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => !line.includes('orderbook.200.BTCUSDT\\",\\"type\\":\\"snapshot'));
    const { events, rejections } = await play(await openRecording([textFile('changes', lines.join('\n'))], { symbol: 'BTCUSD-PERP' }));
    expect(events.some(({ kind }) => kind === 'book')).toBe(false);
    expect(rejections['no_snapshot']).toBe(lines.filter((line) => line.includes('orderbook.200.BTCUSDT\\",\\"type\\":\\"delta')).length);
  });
});
