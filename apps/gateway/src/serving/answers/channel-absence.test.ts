import { marketData } from '@market-state/contracts';
import { absenceOfChannel } from './channel-absence';

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
