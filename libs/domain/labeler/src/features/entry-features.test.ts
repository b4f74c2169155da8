import type { MarketEvent } from '@market-state/market-data';
import { LogBuilder, type Level } from '../../tests/log-builder';
import { POLICY_NUMBERS } from '../policy/numbers';
import { SOURCE_FAMILIES, type SourceFamily, type SourceRead } from '../read';
import { advanceWindows, applyEvent, createEntryWindows, type DataEvent } from '../windows/entry-windows';
import { readEntries, type EntryRead } from './features';

const T = 1_700_000_000_000;
const BIDS: readonly Level[] = [
  [100, 4],
  [99, 2],
  [98, 2],
  [97, 1],
  [96, 1],
  [95, 100],
];
const ASKS: readonly Level[] = [
  [101, 1],
  [102, 1],
  [103, 2],
  [104, 1],
  [105, 3],
  [106, 50],
];

interface Scene {
  /** Families that are not resolved. */
  readonly sources?: Readonly<Partial<Record<SourceFamily, SourceRead['status']>>>;
  readonly cuts?: readonly (readonly ['book' | 'trade' | 'context' | 'liquidation', number])[];
}

const VERDICTS = {
  resolved: { status: 'resolved', reason: 'inside_staleness_limit' },
  partial: { status: 'partial', reason: 'stale' },
  missing: { status: 'missing', reason: 'never_seen' },
} as const;

/** Readings at T of the entries written by `write`, applied in that order. */
function readAt(write: (log: LogBuilder) => LogBuilder, { sources = {}, cuts = [] }: Scene = {}): EntryRead {
  const windows = createEntryWindows(POLICY_NUMBERS);
  for (const event of write(new LogBuilder(T)).events) if (isData(event)) applyEvent(windows, event);
  for (const [channel, instantMs] of cuts) windows.cuts.add(channel, instantMs);
  advanceWindows(windows, T, POLICY_NUMBERS);
  const reads = SOURCE_FAMILIES.map((family): SourceRead => ({ family, ...VERDICTS[sources[family] ?? 'resolved'], ageMs: 0 }));
  return readEntries(windows, T, { depths: [], spreads: [] }, reads, 5_000, POLICY_NUMBERS);
}

function isData(event: MarketEvent): event is DataEvent {
  return event.kind !== 'tick' && event.kind !== 'feed_status';
}

describe('the book at T', () => {
  const { book, features } = readAt((log) => log.book(T - 2_000, ASKS, BIDS).book(T - 1_250, BIDS, ASKS));

  test('is the last at or before T; its age is freshness_ms', () => {
    expect(features.freshness_ms).toBe(1_250);
  });

  test.each([
    // B_1 = 4, A_1 = 1: 3 / 5
    ['visible_depth_imbalance_top1_abs', 0.6],
    // B_3 = 4 + 2 + 2 = 8, A_3 = 1 + 1 + 2 = 4: 4 / 12
    ['visible_depth_imbalance_top3_abs', 0.333333],
    // B_5 = 8 + 1 + 1 = 10, A_5 = 4 + 1 + 3 = 8: 2 / 18; the sixth levels are not read
    ['visible_depth_imbalance_top5_abs', 0.111111],
    // 10,000 × (101 − 100) / 100.5
    ['spread_bps', 99.502488],
  ] as const)('%s is %d', (name, expected) => {
    expect(features[name]).toBe(expected);
  });

  test('depth is B_5 + A_5 = 18; a lean to the asks has a negative sign and the same size', () => {
    expect(book?.depth).toBe(18);
    const mirrored = readAt((log) =>
      log.book(
        T - 1,
        ASKS.map(([price, size]) => [201 - Number(price), size]),
        BIDS.map(([price, size]) => [201 - Number(price), size]),
      ),
    );
    expect(mirrored.book?.imbalances).toEqual({ top1: -0.6, top3: -0.333333, top5: -0.111111 });
    expect(mirrored.features.visible_depth_imbalance_top3_abs).toBe(0.333333);
  });

  test('churn that no step counts is 0 and named as not available', () => {
    const { book: only, notAvailable } = readAt((log) => log.book(T - 1, BIDS, ASKS));
    expect([only?.churn, only?.fragility.churn, notAvailable.includes('churn')]).toEqual([null, 0, true]);
  });
});

describe('the three minutes of book and trades', () => {
  /** A book of 3 against 1 for 4 s, then, 1 s after its end, one of 1 against 3 for the last 5 s; buys of 3 and a late sell of 1. */
  const write = (log: LogBuilder) =>
    log
      .book(T - 60_000, [[100, 3]], [[101, 1]])
      .book(T - 5_000, [[101, 1]], [[102, 3]])
      .trade(T - 179_999, 'buy', 100, 3)
      .trade(T - 9_999, 'sell', 100, 1);

  test('read what was in force, at most 5 s a book, and what was traded', () => {
    // 0.5 × 5 s − 0.5 × 5 s; depth 4; 2 / max(4, 12) and −1 / max(1, 4 / 6); 10,000 × (101.5 / 100.5 − 1)
    const { state, notAvailable } = readAt(write);
    expect(state).toEqual({
      held: { imbalanceMean: 0, heldMs: 10_000, depthMean: 4 },
      trades: { imbalance: 0.5, flow: 0.166667, flow10s: -1, depthRatio: 0.333333 },
      movementBps: 99.502488,
      // 0.5 × 2 / 60 + 0.5 × 2 / 60
      evidence: 0.033333,
    });
    expect(notAvailable).not.toContain('flow_180s');
  });

  test('start over behind a cut of their own channel alone', () => {
    expect(readAt(write, { cuts: [['book', T - 5_001]] }).state).toMatchObject({
      // −0.5 × 5,000 / 60,000
      held: { imbalanceMean: -0.041667, heldMs: 5_000 },
      trades: { imbalance: 0.5 },
      movementBps: 0,
      evidence: 0.025,
    });
    expect(readAt(write, { cuts: [['trade', T - 10_000]] }).state).toMatchObject({
      held: { heldMs: 10_000 },
      trades: { imbalance: -1, flow: -0.083333, flow10s: -1 },
      movementBps: 99.502488,
      evidence: 0.025,
    });
  });

  test('without a book in force flow has nothing to be measured against', () => {
    const { state, notAvailable } = readAt(write, { cuts: [['book', T - 1]] });
    expect(state).toMatchObject({
      held: { imbalanceMean: 0, heldMs: 0, depthMean: 0 },
      trades: { imbalance: 0.5, flow: null, flow10s: null, depthRatio: null },
      movementBps: 0,
    });
    expect(notAvailable.filter((name) => name.startsWith('flow'))).toEqual(['flow_180s', 'flow_10s']);
  });

  test('are null for a family that is missing, and count none of it', () => {
    expect(readAt(write, { sources: { book: 'missing' } }).state).toMatchObject({
      held: { heldMs: 0, depthMean: 0 },
      trades: { flow: null },
      movementBps: null,
      evidence: 0.016667,
    });
    expect(readAt(write, { sources: { trades: 'missing' } })).toMatchObject({
      state: { held: { heldMs: 10_000 }, trades: null, evidence: 0.016667 },
      notAvailable: ['churn', 'liquidation_skew_abs'],
    });
  });
});

describe('the trades of 60 s', () => {
  test('recent_trade_count: the window is (T − 60 s, T]', () => {
    const trades = (log: LogBuilder) => [T - 60_000, T - 59_999, T - 1, T].reduce((all, tsMs) => all.trade(tsMs, 'buy', 100, 1), log);
    expect(readAt(trades).features.recent_trade_count).toBe(3);
    // a cut at T − 1 leaves what is stamped later; one of another channel changes nothing
    expect(readAt(trades, { cuts: [['trade', T - 1]] }).features.recent_trade_count).toBe(1);
    expect(readAt(trades, { cuts: [['book', T - 1]] }).features.recent_trade_count).toBe(3);
  });

  test('trade_imbalance_abs: 1 + 2 bought, 5 sold is |3 − 5| / 8', () => {
    const read = readAt((log) =>
      log
        .trade(T - 3, 'buy', 100, 1)
        .trade(T - 2, 'buy', 100, 2)
        .trade(T - 1, 'sell', 100, 5),
    );
    expect([read.trades?.imbalance, read.features.trade_imbalance_abs]).toEqual([-0.25, 0.25]);
  });

  test('a quiet minute is 0 of everything, its ratios named as not available', () => {
    const { features, notAvailable } = readAt((log) => log.trade(T - 90_000, 'buy', 100, 1));
    expect(features).toMatchObject({ recent_trade_count: 0, trade_imbalance_abs: 0, large_trade_share: 0 });
    expect(notAvailable).toEqual(expect.arrayContaining(['trade_imbalance_abs', 'large_trade_share']));
  });

  /** Trades of these sizes before the window, then 190 and 10 inside it. */
  const large = (sizes: readonly number[]) =>
    readAt((log) =>
      [...sizes.map((size, i) => [T - 300_000 + i, size] as const), [T - 2, 190] as const, [T - 1, 10] as const].reduce(
        (all, [tsMs, size]) => all.trade(tsMs, 'buy', 100, size),
        log,
      ),
    ).features.large_trade_share;
  const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

  test.each([
    // of 1..200 the ceil(0.95 × 200) = 190th smallest is 190: 190 of 200
    ['200 sizes before', upTo(200), 0.95],
    ['199 sizes before: not known yet', upTo(199), 0],
    // of 1..201 it is the ceil(190.95) = 191st: nothing reaches 191
    ['201 sizes before', upTo(201), 0],
    // only the last 2,000 count, all of size 1: every trade reaches the bound. Of all 2,200 it would be the 2,090th, 1,000
    ['2,200 sizes before, the oldest 200 large', [...Array<number>(200).fill(1_000), ...Array<number>(2_000).fill(1)], 1],
  ])('large_trade_share with %s', (_, sizes, share) => {
    expect(large(sizes)).toBe(share);
  });
});

describe('the context', () => {
  test('funding_rate_abs is the size of the last rate sent, to 12 decimals; a context without one keeps it', () => {
    const read = readAt((log) =>
      log
        .context(T - 9_000, { fundingRate: '0.001' })
        .context(T - 8_000, { fundingRate: '-0.00001234567891' })
        .context(T - 7_000, { openInterest: '5' }),
    );
    expect(read.features.funding_rate_abs).toBe(0.000012345679);
    expect(readAt((log) => log.context(T - 7_000, { openInterest: '5' })).features.funding_rate_abs).toBeNull();
  });

  test.each([
    ['resolved', 1],
    ['partial', 0],
    ['missing', 0],
  ] as const)('open_interest_context_present of a family that is %s is %d', (status, expected) => {
    expect(readAt((log) => log.context(T - 1, {}), { sources: { asset_context: status } }).features.open_interest_context_present).toBe(
      expected,
    );
  });

  test('oi_change_1h is against the last value at or before T − 1 h, both after the last cut of the context', () => {
    const write = (log: LogBuilder) =>
      log
        .context(T - 3_700_000, { openInterest: '800' })
        .context(T - 3_600_000, { openInterest: '1000' })
        .context(T - 5_000, { openInterest: '1030' });
    expect(readAt(write).context?.openInterestChange).toBe(0.03);
    expect(readAt(write, { cuts: [['context', T - 3_600_000]] }).context?.openInterestChange).toBeNull();
    // 1 ms short of an hour: the value before it is the reference, (1030 − 800) / 800
    const short = (log: LogBuilder) =>
      log
        .context(T - 3_700_000, { openInterest: '800' })
        .context(T - 3_599_999, { openInterest: '1000' })
        .context(T - 5_000, { openInterest: '1030' });
    expect(readAt(short).context?.openInterestChange).toBe(0.2875);
  });
});

describe('the liquidations of 300 s', () => {
  test('are worth size × mid of the book before them, the mark price without a book, their own price without either', () => {
    const { features, liquidations } = readAt(
      (log) =>
        log
          .liquidation(T - 5_000, 'long', 40, 2) // 2 × 40 = 80
          .context(T - 4_000, { markPrice: '50' })
          .liquidation(T - 3_000, 'long', 40, 2) // 2 × 50 = 100
          .book(T - 2_000, [[100, 1]], [[101, 1]])
          .liquidation(T - 1_000, 'short', 40, 2), // 2 × 100.5 = 201
    );
    // 80 + 100 + 201; (180 − 201) / 381 = −0.055118; shorts were liquidated more
    expect(features).toMatchObject({
      liquidation_event_count: 3,
      liquidation_notional_usd: 381,
      liquidation_skew_abs: 0.055118,
      liquidation_pressure_direction: 1,
    });
    expect(liquidations?.skew).toBe(-0.055118);
  });

  test('the window is (T − 300 s, T] and ends at a cut of its channel', () => {
    const write = (log: LogBuilder) =>
      log
        .liquidation(T - 300_000, 'long', 10, 1)
        .liquidation(T - 299_999, 'long', 10, 1)
        .liquidation(T, 'long', 10, 1);
    expect(readAt(write).features.liquidation_event_count).toBe(2);
    expect(readAt(write, { cuts: [['liquidation', T - 1]] }).features.liquidation_event_count).toBe(1);
  });

  test('traded notional of 300 s is size × mid of the book before each trade', () => {
    const read = readAt((log) =>
      log
        .book(T - 400_000, [[100, 1]], [[102, 1]])
        .trade(T - 300_000, 'buy', 90, 7)
        .trade(T - 299_999, 'buy', 90, 2)
        .book(T - 5, [[200, 1]], [[202, 1]])
        .trade(T - 4, 'sell', 90, 1),
    );
    // 2 × 101 + 1 × 201
    expect(read.tradedNotionalUsd).toBe(403);
  });
});

test('a family that is missing reads null, not 0, in each of its features', () => {
  const missing = { book: 'missing', trades: 'missing', asset_context: 'missing', liquidations: 'missing' } as const;
  const { features, book, trades, context, liquidations, tradedNotionalUsd } = readAt(
    (log) => log.book(T - 1, BIDS, ASKS).trade(T - 1, 'buy', 100, 1),
    { sources: missing },
  );
  expect([book, trades, context, liquidations, tradedNotionalUsd]).toEqual([null, null, null, null, 0]);
  expect(Object.entries(features).filter(([, value]) => value !== null)).toEqual([['open_interest_context_present', 0]]);
});
