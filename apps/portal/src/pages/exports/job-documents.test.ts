import { sourcesOf, gapShare, readReview, type ReviewGap } from './job-documents';

const gap = (startMs: number, endMs: number | null, symbol = 'A'): ReviewGap => ({
  gapId: `${startMs}`,
  symbol,
  channel: 'book',
  startMs,
  endMs,
  reason: 'feed_disconnected',
});

test('the share of gaps merges overlaps, is clipped to the span, and is per symbol', () => {
  expect(gapShare([], 'A', 0, 100)).toBe(0);
  expect(gapShare([gap(10, 30), gap(20, 40), gap(25, 28)], 'A', 0, 100)).toBe(0.3);
  expect(gapShare([gap(-50, 10), gap(90, null), gap(0, 100, 'B')], 'A', 0, 100)).toBe(0.2);
});

test('missing parts of a review pack are read as empty', () => {
  expect(readReview({}).gaps).toEqual([]);
  expect(
    readReview({
      gap_total: 1,
      gaps: [{ gap_id: 'gap_1', symbol: 'A', channel: null, start_utc: '2026-11-25T00:00:00.000Z', end_utc: null, reason: 'x' }],
      flagged_rows: [
        { late: 2, clock_skew: 1 },
        { late: 3, clock_skew: 0 },
      ],
    }),
  ).toMatchObject({ gapTotal: 1, lateRows: 5, skewedRows: 1, gaps: [{ channel: null, endMs: null }] });
});

test('a manifest lists the kind of each source, including unknown', () => {
  const venue = { venue: 'binance-coinm', reported_by_venue: false };
  expect(
    sourcesOf({
      sources: [
        { symbol: 'BTCUSD-PERP', source_kind: 'recorded', ...venue },
        { symbol: 'ETHUSD-PERP', source_kind: null, ...venue },
      ],
    }),
  ).toEqual([
    { symbol: 'BTCUSD-PERP', source_kind: 'recorded' },
    { symbol: 'ETHUSD-PERP', source_kind: null },
  ]);
  expect(sourcesOf({})).toEqual([]);
});
