import { channelSentence, type Day, daysByChannel, dayTitle, observedWords } from './days';

function day(date: string, condition: Day['condition'], completeness = 1, reasons: Day['reasons'] = []): Day {
  return {
    ...{ channel: 'book', date, condition, reasons, completeness, row_total: 5, observed_seconds: completeness * 86_400 },
    ...{ gap_ids: [], gap_total: 0, last_modified_utc: null },
  };
}

test('a channel in a sentence: whole days, those that are not, and the day that goes on', () => {
  const days = [day('2026-11-24', 'available'), day('2026-11-25', 'degraded', 0.99), day('2026-11-26', 'missing', 0)];
  expect(channelSentence(days)).toBe('1 of 3 days whole, 1 with something missing, 1 without rows');
  expect(channelSentence([day('2026-11-27', 'pending', 0.5, ['day_not_finished'])])).toBe('today 50 % so far');
  expect(channelSentence([day('2026-11-27', 'pending', 0, ['channel_not_reported', 'day_not_finished'])])).toBe(
    'not reported by the venue',
  );
});

test('a day with a hole never reads as whole', () => {
  expect([0.999999, 1, 0].map((completeness) => observedWords({ completeness }))).toEqual(['99.99 %', '100 %', '0 %']);
  expect(dayTitle(day('2026-11-25', 'degraded', 0.999999, ['feed_down']))).toBe('2026-11-25, degraded, 99.99 % observed: feed down');
});

test('channels stand in the order in which they come', () => {
  const trades: Day = { ...day('2026-11-25', 'available'), channel: 'trades' };
  expect(daysByChannel([trades, day('2026-11-25', 'available'), trades]).map(([channel, days]) => [channel, days.length])).toEqual([
    ['trades', 2],
    ['book', 1],
  ]);
});
