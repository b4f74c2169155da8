import { readdirSync, readFileSync } from 'node:fs';
import { openRecording, rowLine, type MarketEvent } from '../src/index';
import { recordingFormats } from '../src/recordings/open-recording';
import { inShort } from './messages';
import { fixturePath, play, playFiles, textFile } from './open-files';

/** The log in short without its ticks, which every format has alike. */
function withoutTicks(events: readonly MarketEvent[]): string[] {
  return inShort(events).filter((entry) => !entry.startsWith('tick'));
}

function rowsOf(events: readonly MarketEvent[], kind: MarketEvent['kind']): Record<string, unknown>[] {
  return events.filter((event) => event.kind === kind).map((event) => JSON.parse(rowLine(event)) as Record<string, unknown>);
}

function ticksOf(events: readonly MarketEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs - 1_700_000_000_000] : []));
}

it('every format has a hand-written recording', () => {
  expect(readdirSync(fixturePath()).sort()).toEqual(recordingFormats.map(({ id }) => id).sort());
});

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
      'book 1505 #29 100.6/101',
    ]);
    expect(events.flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'gap' ? [event.status.channel] : []))).toEqual([
      'book',
      'trade',
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
      one_sided_book: 1,
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

describe('hyperliquid-collector', () => {
  const paths = ['trades', 'orderbooks', 'prices'].map((kind) => fixturePath('hyperliquid-collector', `hand_${kind}_BTC.csv`));

  it('merges the files by receive time, whatever their order; ticks go on through the hole and to the last row of any file', async () => {
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
