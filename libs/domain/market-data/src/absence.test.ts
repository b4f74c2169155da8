import { absenceOf } from './absence';

it.each([
  ['hyperliquid', 'live', 'liquidation', 'not_reported_by_venue'],
  ['hyperliquid', 'recorded', 'liquidation', 'not_reported_by_venue'],
  ['hyperliquid', 'recorded', 'context', 'not_in_this_source'],
  ['binance-coinm', 'recorded', 'liquidation', 'not_in_this_source'],
  ['binance-coinm', 'recorded', 'context', 'not_in_this_source'],
  ['binance-coinm', 'live', 'liquidation', 'not_subscribed'],
  ['simulated', 'simulated', 'liquidation', 'not_in_this_source'],
  ['elsewhere', 'live', 'book', 'not_in_this_source'],
  ['elsewhere', undefined, 'book', 'not_in_this_source'],
] as const)('of %s, %s, without %s it is said: %s', (venue, sourceKind, channel, absence) => {
  expect(absenceOf(venue, sourceKind, channel)).toBe(absence);
});
