import type { ContextEvent } from '@market-state/market-data';
import { ContextValues } from './context-values';

function hoursOf(funding: Partial<ContextEvent>): number | undefined {
  const values = new ContextValues();
  values.apply({ kind: 'context', exchangeTsMs: 1, ordinal: 1, ...funding } as ContextEvent);
  return values.view().fundingRate?.intervalHours;
}

test('the hours between payments are those of the event, one where the venue pays by the hour, and unknown where it did not say', () => {
  expect(hoursOf({ fundingRate: '0.0001', venueFundingRate: '0.0008', fundingIntervalHours: 8 })).toBe(8);
  expect(hoursOf({ fundingRate: '0.0001' })).toBe(1);
  expect(hoursOf({ venueFundingRate: '0.0008' })).toBeUndefined();
});
