import { marketData } from '@market-state/contracts';
import { COVERAGE_SPAN_MS } from '@market-state/packet-views';
import { channelQuality } from './get-source-quality';

const NOW_MS = Date.parse('2026-01-02T00:00:00.000Z');
const HOUR_MS = 3_600_000;

const FRESH: marketData.ChannelFreshness = {
  channel: marketData.Channel.BOOK,
  lastExchangeTsMs: NOW_MS - 100,
  lastReceivedTsMs: NOW_MS - 80,
  freshnessMs: 100,
  stalenessLimitMs: 5_000,
  state: marketData.FreshnessState.FRESH,
  gapTotal24h: 0,
  seamTotal24h: 0,
  reported: true,
};

function gap(fromMs: number, toMs: number, reason = 'sequence_gap'): marketData.Gap {
  return {
    gapId: 'gap_1',
    symbol: 'BTCUSD-PERP',
    channel: 'book',
    startMs: fromMs,
    endMs: toMs,
    reason,
    resolution: toMs === 0 ? 'open' : 'resynced',
    place: undefined,
  };
}

function quality(gaps: readonly marketData.Gap[], freshness: Partial<marketData.ChannelFreshness> = {}, firstMs = NOW_MS - 10 * HOUR_MS) {
  const source = { venue: 'binance-coinm', sourceKind: marketData.SourceKind.RECORDED };
  return channelQuality({ name: 'book', freshness: { ...FRESH, ...freshness }, source, gaps, firstMs, feedClockMs: NOW_MS });
}

it('is complete without a gap, over the retained part of the span', () => {
  expect(quality([])).toMatchObject({ quality_class: 'whole', observed_seconds: 36_000, covered_share: 1, gap_total: 0, gap_seconds: 0 });
  expect(quality([], {}, NOW_MS - 3 * COVERAGE_SPAN_MS)).toMatchObject({ observed_seconds: 86_400 });
});

it.each([
  [36_000, 'whole', 0.999],
  [36_100, 'usable', 0.998997],
  [30 * 60_000, 'usable', 0.95],
  [30 * 60_000 + 1_000, 'broken', 0.949972],
])('of %d ms lost in 10 h is %s', (lostMs, wanted, share) => {
  const found = quality([gap(NOW_MS - HOUR_MS, NOW_MS - HOUR_MS + lostMs)]);
  expect(found.quality_class).toBe(wanted);
  expect(found.covered_share).toBeCloseTo(share, 5);
});

it('counts time shared by several gaps once, and none before the retained data', () => {
  const gaps = [
    gap(NOW_MS - 60_000, NOW_MS - 30_000),
    gap(NOW_MS - 50_000, NOW_MS - 20_000),
    gap(NOW_MS - 45_000, NOW_MS - 40_000),
    gap(NOW_MS - 11 * HOUR_MS, NOW_MS - 10 * HOUR_MS + 5_000),
  ];
  expect(quality(gaps)).toMatchObject({ gap_total: 4, gap_seconds: 45 });
});

it('is broken while a gap is open, or when it is stale', () => {
  expect(quality([gap(NOW_MS - 1, 0)])).toMatchObject({ quality_class: 'broken', open_gap_total: 1 });
  expect(quality([], { state: marketData.FreshnessState.STALE })).toMatchObject({ quality_class: 'broken', freshness_state: 'stale' });
});

it('counts seams of a recording separately: nothing is missing there', () => {
  const seam = { ...gap(NOW_MS - HOUR_MS, NOW_MS - HOUR_MS + 600_000, 'recording_seam'), resolution: 'resumed' };
  expect(quality([seam])).toMatchObject({ quality_class: 'whole', gap_total: 0, seam_total: 1, gap_seconds: 0, covered_share: 1 });
  const unknown = { ...seam, resolution: 'resynced' };
  expect(quality([unknown])).toMatchObject({ quality_class: 'usable', gap_total: 1, seam_total: 0, gap_seconds: 600 });
});

it('ignores a withdrawn gap, whose missing rows all arrived late', () => {
  const late = { ...gap(NOW_MS - HOUR_MS, NOW_MS - HOUR_MS + 600_000), resolution: 'withdrawn' };
  expect(quality([late])).toMatchObject({ quality_class: 'whole', gap_total: 0, seam_total: 0, gap_seconds: 0, covered_share: 1 });
});

it('reports no numbers for a channel that is not reported', () => {
  const found = quality([], { reported: false, lastExchangeTsMs: 0, lastReceivedTsMs: 0, state: marketData.FreshnessState.MISSING }, 0);
  expect(found).toMatchObject({
    quality_class: 'not_reported',
    freshness_state: 'missing',
    observed_seconds: null,
    covered_share: null,
    gap_total: null,
    seam_total: null,
    freshness_ms: null,
  });
});

it('reports why a channel is absent, and when its clock is ahead', () => {
  expect(quality([], { reported: false })).toMatchObject({ quality_class: 'not_reported', absence: 'not_in_this_source' });
  expect(quality([])).toMatchObject({ absence: null, venue_clock_ahead: false, clock_skew_ms: null });
  expect(quality([], { lastExchangeTsMs: NOW_MS + 20, lastReceivedTsMs: NOW_MS - 5, freshnessMs: 0 })).toMatchObject({
    freshness_ms: 0,
    venue_clock_ahead: true,
    clock_skew_ms: 25,
  });
});
