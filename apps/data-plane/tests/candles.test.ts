import type { marketData } from '@market-state/contracts';
import { LogFixture, START_MS, SYMBOL } from './log-fixture';
import { faultsOf, startDataPlaneSystem, type System } from './rpc-harness';

const MINUTE_MS = 60_000;
const fixture = new LogFixture();
let system: System;

function minute(index: number): number {
  return START_MS + index * MINUTE_MS;
}

const LATE = { type: 'gap', gapId: 'gap_late', channel: 'trade', startMs: minute(3) + 3_000, endMs: minute(3) + 6_000 } as const;

function list(request: Partial<marketData.ListCandlesRequest> = {}): Promise<marketData.ListCandlesResponse> {
  return system.call.listCandles({
    symbol: SYMBOL,
    fromMs: 0,
    toMs: 0,
    pageSize: 0,
    pageToken: '',
    intervalMs: MINUTE_MS,
    asOfMs: 0,
    ...request,
  });
}

beforeAll(async () => {
  system = await startDataPlaneSystem();
  await system.play(
    fixture
      .connected(minute(0))
      // The log starts within the minute before minute 0.
      .trade(minute(0) - 2_000, '1', '99', '1')
      .book(minute(0) - 1_000, '1', '99', '99.5')
      // Minute 0: open and close by (time, pass, numeric id), regardless of arrival.
      .trade(minute(0) + 500, '10', '101.5', '0.3')
      .trade(minute(0) + 500, '9', '100.1', '0.2')
      .trade(minute(0) + 59_999, '100', '99.9', '0.1', 2)
      .trade(minute(0) + 59_999, '99', '98', '0.4', 2)
      .trade(minute(0) + 59_999, '101', '103.25', '0.00000000000000000001', 1)
      // Minute 1 has no trade. Minute 2 is cut by a gap of the trade channel.
      .trade(minute(2), '102', '50', '1')
      .status(minute(2) + 20_000, {
        type: 'gap',
        gapId: 'gap_trades',
        channel: 'trade',
        startMs: minute(2) + 10_000,
        endMs: minute(2) + 20_000,
        reason: 'feed_down',
      })
      // Minute 3 is cut only on the book channel; a gap of its trades was withdrawn. A seam separates minutes 4 and 5.
      .trade(minute(3) + 1, '103', '60', '2')
      .status(minute(3) + 5_000, {
        type: 'gap',
        gapId: 'gap_books',
        channel: 'book',
        startMs: minute(3) + 2_000,
        endMs: minute(3) + 5_000,
        reason: 'sequence_gap',
      })
      .status(minute(3) + 6_000, { ...LATE, reason: 'sequence_gap' })
      .status(minute(3) + 7_000, { ...LATE, reason: 'arrived_late' })
      .trade(minute(4) + 1, '104', '61', '2')
      .status(minute(5) + 100, { type: 'seam', gapId: 'gap_seam', startMs: minute(5) - 100, endMs: minute(5) + 100 })
      .trade(minute(5) + 30_000, '1', '62.50', '4', 2)
      // The clock has passed the end of minute 5, but not its closing lag.
      .tick(minute(6) + 999),
  );
});

afterAll(() => system.close());

// Each trade of the fixture is 3 contracts of 100 USD.
test('candles equal those computed by hand, minutes without trades among them', async () => {
  const { candles, nextPageToken } = await list({ fromMs: minute(0), toMs: minute(6) });
  expect(nextPageToken).toBe('');
  const empty = { open: '', high: '', low: '', close: '', volume: '0', notional: '0', tradeTotal: 0 };
  const expected: Omit<marketData.Candle, 'openTsMs' | 'closeTsMs' | 'lastReceivedTsMs'>[] = [
    {
      open: '100.1',
      high: '103.25',
      low: '98',
      close: '99.9',
      volume: '1.00000000000000000001',
      notional: '1500',
      tradeTotal: 5,
      complete: true,
      gap: false,
    },
    { ...empty, complete: true, gap: false },
    { open: '50', high: '50', low: '50', close: '50', volume: '1', notional: '300', tradeTotal: 1, complete: true, gap: true },
    { open: '60', high: '60', low: '60', close: '60', volume: '2', notional: '300', tradeTotal: 1, complete: true, gap: false },
    { open: '61', high: '61', low: '61', close: '61', volume: '2', notional: '300', tradeTotal: 1, complete: true, gap: true },
    { open: '62.5', high: '62.5', low: '62.5', close: '62.5', volume: '4', notional: '300', tradeTotal: 1, complete: false, gap: true },
  ];
  const receivedIn = (index: number): number[] =>
    fixture.events.flatMap(({ kind, exchangeTsMs, receivedTsMs }) =>
      kind === 'trade' && exchangeTsMs >= minute(index) && exchangeTsMs < minute(index + 1) ? [receivedTsMs] : [],
    );
  expect(candles).toEqual(
    expected.map((candle, index) => ({
      ...candle,
      openTsMs: minute(index),
      closeTsMs: minute(index + 1),
      lastReceivedTsMs: Math.max(0, ...receivedIn(index)),
    })),
  );
});

test('the minute in which the log begins is never complete', async () => {
  const { candles } = await list({ fromMs: minute(-1), toMs: minute(1) });
  expect(candles.map(({ complete }) => complete)).toEqual([false, true]);
});

test('a candle is complete once the recorded clock has passed its end and the closing lag', async () => {
  await system.play(fixture.tick(minute(6) + 1_000));
  const { candles } = await list({ fromMs: minute(5), toMs: minute(6) });
  expect(candles.map(({ complete }) => complete)).toEqual([true]);
});

test('without bounds the candles go from the first trade retained to the minute of the feed clock', async () => {
  const { candles } = await list();
  expect(candles[0]).toMatchObject({ openTsMs: minute(-1), tradeTotal: 1 });
  expect(candles.length).toBeGreaterThanOrEqual(8);
  expect(candles.at(-1)).toMatchObject({ complete: false, tradeTotal: 0 });
});

test('pages fit together at every size, with nothing repeated or left out', async () => {
  const whole = (await list({ fromMs: minute(0), toMs: minute(6) })).candles;
  for (const pageSize of [1, 2, 4, 6, 7]) {
    const paged: marketData.Candle[] = [];
    let pageToken = '';
    do {
      const page = await list({ fromMs: minute(0), toMs: minute(6), pageSize, pageToken });
      expect(page.candles.length).toBeLessThanOrEqual(pageSize);
      paged.push(...page.candles);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(paged).toEqual(whole);
  }
});

test('bounds inside a minute take the next whole one', async () => {
  const { candles } = await list({ fromMs: minute(1) + 1, toMs: minute(3) + 1 });
  expect(candles.map(({ openTsMs }) => openTsMs)).toEqual([minute(2), minute(3)]);
});

test('a span before the first trade, or after the clock, has no candles', async () => {
  expect((await list({ fromMs: minute(-10), toMs: minute(-1) })).candles).toEqual([]);
  const late = await list({ fromMs: minute(10_000), toMs: minute(10_005) });
  expect([late.candles, late.nextPageToken]).toEqual([[], '']);
});

test('a page token of another symbol, or one that was changed, is refused', async () => {
  const { nextPageToken } = await list({ fromMs: minute(0), toMs: minute(6), pageSize: 1 });
  expect(nextPageToken).not.toBe('');
  const foreign = Buffer.from(JSON.stringify(['ETHUSD-PERP', minute(0), minute(6)])).toString('base64url');
  const skewed = Buffer.from(JSON.stringify([SYMBOL, minute(0) + 1, minute(6)])).toString('base64url');
  for (const pageToken of [foreign, skewed, `${nextPageToken}x`, 'AAAA', '*'])
    expect(await faultsOf(list({ pageToken }))).toEqual(['page_token']);
});
