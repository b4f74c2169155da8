import type { ContextEvent } from '@market-state/market-data';
import { ContextWindow } from './entry-windows';

test('a rate of one payment whose interval is unknown ends what was known of the rate per hour', () => {
  const window = new ContextWindow();
  const take = (facts: Partial<ContextEvent>): number | null => {
    window.apply({ kind: 'context', exchangeTsMs: 1, ...facts } as ContextEvent);
    return window.fundingRate;
  };
  expect(take({ fundingRate: '0.0001', venueFundingRate: '0.0008', fundingIntervalHours: 8 })).toBe(0.0001);
  expect(take({ markPrice: '100' })).toBe(0.0001);
  expect(take({ venueFundingRate: '0.0008' })).toBeNull();
});
