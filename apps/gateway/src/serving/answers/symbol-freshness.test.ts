import { marketData } from '@market-state/contracts';
import { clockSkew, absenceOfChannel } from './symbol-freshness';

const { Channel, SourceKind } = marketData;

it.each([
  ['hyperliquid', SourceKind.LIVE, Channel.LIQUIDATION, 'not_reported_by_venue'],
  ['hyperliquid', SourceKind.RECORDED, Channel.LIQUIDATION, 'not_reported_by_venue'],
  ['hyperliquid', SourceKind.RECORDED, Channel.CONTEXT, 'not_in_this_source'],
  ['binance-coinm', SourceKind.RECORDED, Channel.LIQUIDATION, 'not_in_this_source'],
  ['binance-coinm', SourceKind.LIVE, Channel.LIQUIDATION, 'not_subscribed'],
  ['simulated', SourceKind.SIMULATED, Channel.LIQUIDATION, 'not_in_this_source'],
  ['elsewhere', SourceKind.LIVE, Channel.BOOK, 'not_in_this_source'],
] as const)('of %s, %d, channel %d is lacking: %s', (venue, sourceKind, channel, absence) => {
  expect(absenceOfChannel({ reported: false, channel }, { venue, sourceKind })).toBe(absence);
  expect(absenceOfChannel({ reported: true, channel }, { venue, sourceKind })).toBeNull();
});

it.each([
  [1_000, 1_000, { venue_clock_ahead: false, clock_skew_ms: null }],
  [1_000, 1_040, { venue_clock_ahead: false, clock_skew_ms: null }],
  [1_001, 1_000, { venue_clock_ahead: true, clock_skew_ms: 1 }],
])('a row of %d that was received at %d', (exchangeTsMs, receivedTsMs, described) => {
  expect(clockSkew(exchangeTsMs, receivedTsMs)).toEqual(described);
});
