import { readFileSync } from 'node:fs';
import { openRecording } from '../src/index';
import { rowsOf, withoutTicks } from './fixture-logs';
import { countKinds, fixturePath, play, textFile } from './open-files';

// Written by hand from Hyperliquid's page "Historical data" and the readme of its node.
const BOOK = readFileSync(fixturePath('hyperliquid-archive', 'btc.jsonl'), 'utf8');
const START = Date.parse(`${/"time":"([^"]{23})/.exec(BOOK)?.[1] ?? ''}Z`);
const HEAD = 'time,coin,funding,open_interest,prev_day_px,day_ntl_vlm,premium,oracle_px,mark_px,mid_px,impact_bid_px,impact_ask_px';

function at(ms: number): string {
  return new Date(START + ms).toISOString();
}

function context(ms: number, coin: string, funding: string): string {
  return `${at(ms)},${coin},${funding},8123.5,36000,90000000.5,,36501.5,36500.5,,36500,36501`;
}

function trade(ms: number, coin = 'BTC', side = 'B', px = '36500.5'): string {
  const sides = [{ user: '0x1', start_pos: '1', oid: 7, twap_id: null, cloid: null }];
  return JSON.stringify({
    coin,
    side,
    time: `${at(ms).slice(0, -1)}456789`,
    px,
    sz: '0.25',
    hash: '0x0',
    trade_dir_override: 'Na',
    side_info: [...sides, ...sides],
  });
}

const trades = [trade(100), trade(200, 'ETH'), trade(900, 'BTC', 'A'), trade(900, 'BTC', 'A')].join('\n');
const contexts = [
  HEAD,
  context(-120_000, 'BTC', '0.0000125'),
  context(-60_000, 'BTC', '0.000013'),
  context(-60_000, 'ETH', '0.1'),
  context(500, 'BTC', '0.000014'),
].join('\n');

describe('hyperliquid-archive', () => {
  it('merges books, trades and contexts of one coin, the newest earlier context at the start', async () => {
    const files = [textFile('BTC', BOOK), textFile('20231114_22', trades), textFile('20231114.csv', contexts)];
    const recording = await openRecording(files, { symbol: 'BTCUSD-PERP' });
    expect(recording).toMatchObject({ format: 'hyperliquid-archive', venue: 'hyperliquid' });
    const alone = await play(await openRecording([textFile('BTC', BOOK)]));
    const { events } = await play(recording);
    expect(events[0]).toMatchObject({ status: { channels: ['book', 'trade', 'context'] } });
    expect(countKinds(events)).toMatchObject({ book: countKinds(alone.events)['book'], trade: 3, context: 2 });
    expect(rowsOf(events, 'trade').map(({ aggressor_side: side, venue_id: id }) => [side, id])).toEqual([
      ['buy', '1'],
      ['sell', '2'],
      ['sell', '3'],
    ]);
    expect(rowsOf(events, 'context')).toMatchObject([
      {
        funding_rate: '0.000013',
        open_interest: '8123.5',
        mark_price: '36500.5',
        oracle_price: '36501.5',
        exchange_ts_is_receive_time: true,
      },
      { funding_rate: '0.000014' },
    ]);
    expect(rowsOf(events, 'context')[0]).not.toHaveProperty('mid_price');
    expect(recording.tally.notes.list()).toContain('asset_ctxs: 1 row lies outside the time of the other files, not used');
  });

  it('reports an unreadable line by file and line, and counts it', async () => {
    const { recording, rejections, events } = await play(
      await openRecording([textFile('hour', [trade(0), trade(100).slice(0, 70), trade(200, 'BTC', 'B', '-1'), trade(300)].join('\n'))]),
    );
    expect(withoutTicks(events)).toHaveLength(3);
    expect(rejections).toEqual({ broken_json: 1, bad_price: 1 });
    expect(recording.tally.notes.list()[0]).toBe('hour:2: incomplete JSON');
  });
});
