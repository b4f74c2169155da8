import { readdirSync, readFileSync } from 'node:fs';
import { openRecording } from '../src/index';
import { rowsOf, withoutTicks } from './fixture-logs';
import { countKinds, filesOf, fixturePath, play, textFile } from './open-files';

// Written by hand from the columns of https://github.com/binance/binance-public-data.
const names = readdirSync(fixturePath('binance-vision'));
const START_MS = 1_700_000_000_000;
const TRADES = 'BTCUSDT-aggTrades-2023-11-14.csv';
const trades = readFileSync(fixturePath('binance-vision', TRADES), 'utf8').trimEnd().split('\n');

async function playedTrades(...lines: readonly string[]) {
  return play(await openRecording([textFile(TRADES, lines.join('\n'))]));
}

describe('binance-vision', () => {
  const paths = names.map((name) => fixturePath('binance-vision', name));

  it('has a trade for each aggregate trade, and open interest and funding rate of their time', async () => {
    const recording = await openRecording(filesOf(paths));
    expect(recording).toMatchObject({ format: 'binance-vision', venue: 'binance-usdm', symbols: ['BTCUSD-PERP'] });
    const { events, rejections } = await play(recording);
    expect(rejections).toEqual({});
    expect(countKinds(events)).toMatchObject({ trade: trades.length - 1, context: 3 });
    expect(events[0]).toMatchObject({ status: { channels: ['trade', 'context'] } });
    // The newest values from before the first trade are known at the start; those of 22:08 and earlier payments are not needed.
    expect(withoutTicks(events).slice(0, 4)).toEqual(['connected', 'context -22399997 #1', 'context -290000 #2', 'trade 150 #500']);
    expect(rowsOf(events, 'context').at(-1)).toMatchObject({
      open_interest: '75001.5',
      venue_funding_rate: '0.00020000',
      funding_rate: '0.000025',
      funding_interval_hours: 8,
    });
    expect(recording.tally.notes.list()).toEqual([
      'bookDepth states depth within 0.2 to 5 percent of the mid, not prices with sizes: its rows are checked, and there is no book of them',
      'fundingRate: 3 rows lie outside the time of the other files, not used',
      'metrics: 2 rows lie outside the time of the other files, not used',
    ]);
  });

  it('names the aggressor: the seller where the buyer is the maker', async () => {
    const { events } = await playedTrades(...trades);
    expect(rowsOf(events, 'trade').slice(0, 2)).toMatchObject([
      { aggressor_side: 'buy', size: '0.1', price: '36500.5' },
      { aggressor_side: 'sell', size: '0.2' },
    ]);
  });

  it('reads files without a header, as published before 2022', async () => {
    const [one, other] = [await playedTrades(...trades), await playedTrades(...trades.slice(1))];
    expect(other.events).toEqual(one.events);
  });

  it('writes a gap of the trades where numbers are missing, and for an unreadable row', async () => {
    const { events } = await playedTrades(...trades.toSpliced(10, 2));
    expect(rowsOf(events, 'feed_status')[1]).toMatchObject({
      status: { type: 'gap', channel: 'trade', reason: 'sequence_gap', start_ms: START_MS + 4_150, end_ms: START_MS + 5_650 },
    });
    const broken = await playedTrades(...trades.with(10, (trades[10] ?? '').replace(/true|false/, 'maybe')));
    expect(broken.rejections).toEqual({ unknown_message: 1 });
    expect(broken.recording.tally.notes.list()[0]).toBe(`${TRADES}:11: is_buyer_maker "maybe" is not true or false`);
    expect(rowsOf(broken.events, 'feed_status')[1]).toMatchObject({ status: { start_ms: START_MS + 4_150, end_ms: START_MS + 5_150 } });
  });

  it('uses all rows of metrics and funding rates where they are alone, in time order', async () => {
    const { events } = await play(await openRecording(filesOf(paths.filter((path) => path.includes('metrics')))));
    expect(rowsOf(events, 'context').map((row) => row['open_interest'])).toEqual(['74990', '75000.25', '75001.5', '75010']);
  });

  it('converts contracts of COIN-M by the instrument table', async () => {
    const text = '7,50000,4,1,1,1700000000150,false';
    const { events } = await play(await openRecording([textFile('BTCUSD_PERP-aggTrades-2023-11-14.csv', text)]));
    expect(rowsOf(events, 'trade')).toMatchObject([{ venue: 'binance-coinm', size: '0.008', venue_size: '4' }]);
  });

  it.each([
    ['trades.csv', trades.join('\n'), 'keep the published name, which states the symbol'],
    ['BTCUSDT-aggTrades-2023-11-14.csv', '7,1,1,1,1,1700000000150,false,true', 'aggregate trades of Binance spot, which is not supported'],
    [
      'BTCUSDT-bookDepth-2023-11-14.csv',
      'timestamp,percentage,depth,notional\n2023-11-14 22:13:28,1,1,1',
      'add aggTrades, metrics or fundingRate',
    ],
    [
      'BTCUSD_PERP-metrics-2023-11-14.csv',
      'create_time,symbol,sum_open_interest,sum_open_interest_value\n2023-11-14 22:13:28,BTCUSD_PERP,1,1',
      'no price is stated to convert it',
    ],
  ])('refuses %s', async (name, text, sentence) => {
    await expect(openRecording([textFile(name, text)])).rejects.toThrow(sentence);
  });
});
