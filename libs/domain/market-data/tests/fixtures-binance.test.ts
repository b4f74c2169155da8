import { rowsOf, ticksOf, withoutTicks } from './fixture-logs';
import { fixturePath, playFiles } from './open-files';

describe.each([
  ['binance-coinm', 'btcusd_perp.txt', { size: '3.960396039604', venue_size: '4' }],
  ['binance-usdm', 'btcusdt.txt', { size: '0.004' }],
])('%s', (format, file, trade) => {
  const path = fixturePath(format, file);

  it('gives the log that its messages and faults call for', async () => {
    const { recording, events, rejections } = await playFiles([path]);
    expect(recording).toMatchObject({ format, symbol: 'BTCUSD-PERP', symbols: ['BTCUSD-PERP'], venue: format });
    expect(withoutTicks(events)).toEqual([
      'connected',
      'trade 118 #1',
      'book 110 #12 100.5/101',
      'trade 262 #2',
      'gap',
      'gap',
      'trade 595 #8',
      'resynced',
      'book 710 #21 100.6/101',
      'book 1005 #25 100.6/101',
      'gap',
      'resynced',
    ]);
    expect(events.flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'gap' ? [event.status.channel] : []))).toEqual([
      'book',
      'trade',
      'book',
    ]);
    expect(ticksOf(events)).toEqual([250, 500, 750, 1_000, 1_250, 1_500]);
    expect(rejections).toEqual({
      broken_line: 1,
      broken_json: 1,
      unknown_message: 1,
      unknown_symbol: 1,
      bad_price: 1,
      bad_size: 1,
      future_time: 1,
      crossed_book: 1,
      no_trade: 1,
      beyond_snapshot: 1,
      no_snapshot: 1,
      stale_snapshot: 1,
    });
  });

  it('gives sizes in base units, with contracts as sent only where they are contracts', async () => {
    const { events } = await playFiles([path]);
    expect(rowsOf(events, 'trade')[0]).toMatchObject({ price: '101', aggressor_side: 'buy', ...trade });
    expect('venue_size' in (rowsOf(events, 'trade')[0] ?? {})).toBe('venue_size' in trade);
    expect(rowsOf(events, 'book')[0]?.['bids']).toEqual(
      format === 'binance-usdm'
        ? [
            ['100.5', '0.007'],
            ['100', '0.005'],
            ['99.5', '0.003'],
          ]
        : [
            ['100.5', '6.965174129353', '7'],
            ['100', '5', '5'],
            ['99.5', '3.015075376884', '3'],
          ],
    );
  });
});

describe.each([
  [
    'binance-coinm',
    'btcusd_perp_context.txt',
    { openInterest: '7502', dayVolume: '1000000', contracts: ['4', '1'], sizes: ['3.980099502488', '0.995024875622'] },
  ],
  [
    'binance-usdm',
    'btcusdt_context.txt',
    { openInterest: '10659.500', dayVolume: '1000000.50', contracts: [undefined, undefined], sizes: ['0.014', '0.01'] },
  ],
])('%s with the messages of the contract', (format, file, sent) => {
  const path = fixturePath(format, file);

  it('gives a context entry a mark price, and the liquidations that were filled; each fault is counted', async () => {
    const { events, rejections } = await playFiles([path], 'BTCUSD-PERP');
    expect(withoutTicks(events)).toEqual([
      'connected',
      'book 10110 #12 100.5/101',
      'context 10400 #1700000010400',
      'context 11400 #1700000011400',
      'liquidation 11600 #',
      'liquidation 11610 #',
      'context 13400 #1700000013400',
    ]);
    expect(events[0]).toMatchObject({ status: { channels: ['book', 'trade', 'context', 'liquidation'] } });
    expect(rejections).toEqual({ unknown_symbol: 3, unknown_message: 2, bad_price: 2, bad_size: 3, duplicate: 1 });
  });

  it('keeps what was sent to the last digit: rates with their interval, open interest, volume', async () => {
    const contexts = rowsOf((await playFiles([path], 'BTCUSD-PERP')).events, 'context');
    expect(contexts[0]).toMatchObject({
      funding_rate: '0.000025',
      venue_funding_rate: '0.00010000',
      funding_interval_hours: 4,
      mark_price: '100.00000000',
      oracle_price: '100.20000000',
    });
    expect(contexts[0]).not.toHaveProperty('open_interest');
    expect(contexts[1]).toMatchObject({
      funding_rate: '-0.00005',
      mark_price: '200.00000000',
      open_interest: sent.openInterest,
      day_volume: sent.dayVolume,
    });
    for (const field of ['oracle_price', 'funding_rate', 'venue_funding_rate', 'funding_interval_hours'])
      expect(contexts[2]).not.toHaveProperty(field);
  });

  it('says whose position was liquidated: who sells was long; at the average price, with what was filled', async () => {
    const rows = rowsOf((await playFiles([path], 'BTCUSD-PERP')).events, 'liquidation');
    expect(rows.map(({ position_side, price, size, venue_size }) => [position_side, price, size, venue_size])).toEqual([
      ['long', '100.5', sent.sizes[0], sent.contracts[0]],
      ['short', '100.5', sent.sizes[1], sent.contracts[1]],
    ]);
  });
});
