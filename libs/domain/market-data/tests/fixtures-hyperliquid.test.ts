import { rowsOf, ticksOf, withoutTicks } from './fixture-logs';
import { fixturePath, playFiles } from './open-files';

describe('hyperliquid-ws', () => {
  const path = fixturePath('hyperliquid-ws', 'btc.txt');

  it('gives one book a push, trades of the backlog with their own times once, and context with the receive time', async () => {
    const { events, rejections } = await playFiles([path], 'BTCUSD-PERP');
    expect(withoutTicks(events)).toEqual([
      'connected',
      'book 0 #1700000000000 105055/105056',
      'trade -49000 #121451470284048',
      'trade -3000 #121451470284049',
      'context 640 #',
      'book 545 #1700000000545 105054.5/105054.5',
      'trade 600 #917211710228416',
      'context 1850 #',
      'book 2000 #1700000002000 105055/105056',
    ]);
    expect(ticksOf(events)).toEqual([0, 250, 500, 750, 1_000, 1_250, 1_500, 1_750, 2_000, 2_250]);
    expect(rejections).toEqual({
      broken_line: 1,
      broken_json: 1,
      unknown_message: 3,
      bad_price: 1,
      bad_size: 2,
      future_time: 1,
      crossed_book: 1,
      one_sided_book: 1,
      duplicate: 2,
    });
  });

  it('maps sides, units and absent fields', async () => {
    const { events } = await playFiles([path], 'BTCUSD-PERP');
    expect(rowsOf(events, 'feed_status')[0]?.['status']).toEqual({
      type: 'connected',
      channels: ['book', 'trade', 'context'],
      book_staleness_ms: 10_000,
      trade_staleness_ms: 60_000,
      context_staleness_ms: 120_000,
      closing_lag_ms: 2_000,
      source_kind: 'recorded',
    });
    expect(rowsOf(events, 'book')[0]).toMatchObject({
      venue_id: '1700000000000',
      bids: [
        ['105055', '3.03622'],
        ['105054', '0.1428'],
      ],
      asks: [
        ['105056', '0.5'],
        ['105057', '1'],
      ],
    });
    expect(rowsOf(events, 'trade').map(({ aggressor_side, size }) => [aggressor_side, size])).toEqual([
      ['buy', '0.00219'],
      ['sell', '0.1'],
      ['buy', '0.02222'],
    ]);
    const [full, partial] = rowsOf(events, 'context');
    expect(full).toMatchObject({
      exchange_ts_is_receive_time: true,
      funding_rate: '0.0000125',
      open_interest: '27353.17682',
      mark_price: '105056.5',
      oracle_price: '105060.0',
      mid_price: '105055.5',
      day_volume: '1516669192.1953897476',
    });
    expect(partial).toMatchObject({ funding_rate: '-0.00001', mark_price: '105057.0' });
    expect(partial).not.toHaveProperty('mid_price');
    expect(partial).not.toHaveProperty('day_volume');
  });

  it('names its coins when none is chosen', async () => {
    await expect(playFiles([path])).rejects.toThrow('choose one: BTCUSD-PERP, ETHUSD-PERP');
  });
});

it('hyperliquid-archive: books alone, by the clock of the node', async () => {
  const { recording, events, rejections } = await playFiles([fixturePath('hyperliquid-archive', 'btc.jsonl')]);
  expect(recording).toMatchObject({ format: 'hyperliquid-archive', venue: 'hyperliquid' });
  expect(withoutTicks(events)).toEqual([
    'connected',
    'book 0 #1700000000000 105055/105056',
    'book 600 #1700000000600 105055/105055.5',
    'book 4300 #1700000004300 105055/105056',
  ]);
  expect(events[0]).toMatchObject({ receivedTsMs: 1_700_000_000_400, status: { channels: ['book'] } });
  expect(rejections).toEqual({ broken_line: 1, broken_json: 1, one_sided_book: 1 });
});

describe('hyperliquid-collector', () => {
  const paths = ['trades', 'orderbooks', 'prices'].map((kind) => fixturePath('hyperliquid-collector', `hand_${kind}_BTC.csv`));

  it('merges files in any order by receive time; ticks continue through the gap and to the last row of any file', async () => {
    const { events, rejections } = await playFiles(paths);
    expect(withoutTicks(events)).toEqual([
      'connected',
      'trade -9995 #1062032029372010',
      'trade -8588 #840625993692607',
      'book 0 #1700000000000 111038/111039',
      'book 544 #1700000000544 111038/111039',
      'trade 600 #840625993692608',
      'trade 4000 #840625993692612',
      'book 8544 #1700000008544 111038/111041',
    ]);
    expect(ticksOf(events)).toEqual(Array.from({ length: 39 }, (_, index) => 500 + index * 250));
    expect(rejections).toEqual({
      broken_line: 1,
      unknown_message: 2,
      bad_price: 1,
      bad_size: 1,
      crossed_book: 1,
      one_sided_book: 1,
      duplicate: 2,
    });
    expect((await playFiles([...paths].reverse())).events).toEqual(events);
  });

  it('writes sizes that were sent with an exponent in plain notation', async () => {
    const { events } = await playFiles(paths);
    expect(rowsOf(events, 'trade')[1]).toMatchObject({ size: '0.00008', aggressor_side: 'sell' });
    expect(rowsOf(events, 'book')[0]?.['asks']).toEqual([
      ['111039', '0.0036'],
      ['111040', '0.00001'],
    ]);
  });

  it('reports only the channels whose files are there', async () => {
    const { events } = await playFiles(paths.filter((path) => path.includes('trades')));
    expect(events[0]).toMatchObject({ status: { channels: ['trade'] } });
  });
});
