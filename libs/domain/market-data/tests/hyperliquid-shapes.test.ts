import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRecordings } from './with-recordings';
import type { ContextEvent } from '../src/index';
import { FeedClock } from '../src/normalizer';
import { hyperliquidInstrument } from '../src/hyperliquid/venue';
import { type HyperliquidMessage, parseFrame } from '../src/hyperliquid/parse-frame';
import { HyperliquidNormalizer } from '../src/hyperliquid/normalizer';
import { LogWriter } from '../src/log-writer';

function answer(folder: string, name: string): string {
  const text = readFileSync(join(folder, name), 'utf8');
  const recorded = JSON.parse(text) as { request?: unknown; response?: unknown };
  return recorded.request === undefined ? text : JSON.stringify(recorded.response);
}

const SHAPES = join(import.meta.dirname, '..', 'shapes', 'hyperliquid');

function read(name: string, coin: string): HyperliquidMessage {
  return parseFrame(answer(SHAPES, name), 0, coin);
}

test('every funding payment of the history comes out as it was sent, to the last digit, at the time it was made', () => {
  const text = answer(SHAPES, 'http_fundingHistory_BTC.json');
  const rows = JSON.parse(text) as { coin: string; fundingRate: string; time: number }[];
  expect(rows).toHaveLength(1_038);
  const place = {
    instrument: hyperliquidInstrument('BTCUSD-PERP', 'BTC', ['book', 'trade', 'context']),
    pass: 0,
    epoch: 1,
    firstOrdinal: 1,
  };
  const log = new LogWriter(place, false);
  const normalizer = new HyperliquidNormalizer(place, log);
  const clock = new FeedClock(log, normalizer, rows[0]?.time ?? 0);
  const payments: ContextEvent[] = [];
  for (const row of rows) {
    clock.skipTo(row.time);
    normalizer.accept(parseFrame(JSON.stringify([row]), 0, 'BTC'));
    for (const { event } of log.take()) if (event.kind === 'context') payments.push(event);
  }
  expect(payments.map(({ fundingRate, exchangeTsMs, venueId }) => [fundingRate, exchangeTsMs, venueId])).toEqual(
    rows.map(({ fundingRate, time }) => [fundingRate, time, `funding-${time}`]),
  );
  expect(
    payments.every(
      ({ exchangeTsIsReceiveTime, openInterest, markPrice }) =>
        !exchangeTsIsReceiveTime && openInterest === undefined && markPrice === undefined,
    ),
  ).toBe(true);
  const whole = parseFrame(text, 0, 'BTC');
  expect(whole.type === 'funding' && whole.payments.map((payment) => payment.type === 'funding_payment' && payment.rate)).toEqual(
    rows.map(({ fundingRate }) => fundingRate),
  );
});

test('contexts of the universe are joined by index; what is null is absent', () => {
  const [meta, contexts] = JSON.parse(answer(SHAPES, 'http_metaAndAssetCtxs_testnet.json')) as [
    { universe: { name: string }[] },
    Record<string, string | null>[],
  ];
  let absent = 0;
  meta.universe.forEach(({ name }, index) => {
    const sent = contexts[index] ?? {};
    const message = read('http_metaAndAssetCtxs_testnet.json', name);
    expect(message).toEqual({
      type: 'context',
      facts: {
        fundingRate: sent['funding'],
        openInterest: sent['openInterest'],
        markPrice: sent['markPx'],
        oraclePrice: sent['oraclePx'],
        midPrice: sent['midPx'] ?? undefined,
        dayVolume: sent['dayNtlVlm'],
      },
    });
    if (sent['midPx'] === null) absent++;
  });
  expect([meta.universe.length, absent]).toEqual([142, 11]);
});

test('books and recent trades of the info route are read like those that are pushed', () => {
  const book = read('http_l2Book_BTC_testnet.json', 'BTC');
  expect(book).toMatchObject({ type: 'book', timeMs: 1_734_766_661_682 });
  expect(book.type === 'book' && [book.bids.length, book.bids[0], book.asks[0]]).toEqual([
    20,
    { price: '98804', size: '0.09974' },
    { price: '98853', size: '0.20588' },
  ]);
  expect(read('http_l2Book_DYDX.json', 'DYDX')).toMatchObject({
    type: 'book',
    bids: [{ price: '2.111', size: '134.4' }, ...Array<unknown>(19).fill(expect.anything())],
  });
  expect(read('http_l2Book_DYDX.json', 'BTC')).toEqual({ type: 'ignored' });
  const trades = read('http_recentTrades_BTC_testnet.json', 'BTC');
  const sent = JSON.parse(answer(SHAPES, 'http_recentTrades_BTC_testnet.json')) as { tid: number; side: string }[];
  expect(trades.type === 'trades' && trades.trades.map((trade) => trade.type === 'trade' && [trade.id, trade.aggressorSide])).toEqual(
    sent.map(({ tid, side }) => [String(tid), side === 'B' ? 'buy' : 'sell']),
  );
});

test.each(['http_candleSnapshot_kPEPE_1h.json', 'http_meta.json', 'http_allMids.json'])(
  '%s is known, and has nothing for the log',
  (name) => {
    expect(read(name, 'kPEPE')).toEqual({ type: 'ignored' });
  },
);

withRecordings('hyperliquid/shapes', (folder) => {
  it.each(['ws_candle_HYPE_1d.json', 'ws_all_dexs_asset_ctxs.json', 'ws_user_fill_liquidation.json', 'http_userFills_liquidation.json'])(
    '%s is known, and has nothing for the log',
    (name) => {
      expect(parseFrame(answer(folder, name), 0, 'HYPE')).toEqual({ type: 'ignored' });
    },
  );

  it('activeAssetCtx gives what it holds, as sent', () => {
    expect(parseFrame(answer(folder, 'ws_activeAssetCtx_MOODENG.json'), 0, 'MOODENG')).toEqual({
      type: 'context',
      facts: {
        fundingRate: '0.00004863',
        openInterest: '18617460.0',
        markPrice: '0.19963',
        oraclePrice: '0.1995',
        midPrice: '0.19957',
        dayVolume: '7665220.55613',
      },
    });
  });

  it('a candle of one minute is counted', () => {
    const frame = JSON.parse(answer(folder, 'ws_candle_HYPE_1d.json')) as { data: object };
    const minute = JSON.stringify({ ...frame, data: { ...frame.data, i: '1m' } });
    expect(parseFrame(minute, 0, 'HYPE')).toEqual({ type: 'candle', startMs: 1_764_806_400_000, tradeCount: 102_895 });
  });
});
