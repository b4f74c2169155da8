import { type Accuracy, accuracySentence, leftOutWords, sumByMeasure } from './audit';

type Day = Accuracy['rows'][number];

function day(date: string, compared: number, differing = 0, reasons: Day['not_compared_reasons'] = []): Day {
  return {
    ...{ symbol: 'SIMUSD-PERP', venue: 'simulated', measure: 'candles', compared_with: 'venue', date, run_total: 144 },
    ...{ compared_total: compared, equal_total: compared - differing, differing_total: differing },
    ...{ not_compared_total: reasons.length * 6, not_compared_reasons: reasons },
    ...{ last_run_utc: `${date}T23:50:00.000Z`, largest_difference: null },
  };
}

test('days of a measure are summed, with the newest run and each reason once', () => {
  const sums = sumByMeasure([day('2026-11-25', 100, 2, ['gap']), day('2026-11-26', 50, 0, ['gap', 'venue_not_reached'])]);
  expect(sums).toEqual([
    {
      ...{ symbol: 'SIMUSD-PERP', measure: 'candles', compared_with: 'venue', lastRunUtc: '2026-11-26T23:50:00.000Z' },
      ...{ comparedTotal: 150, differingTotal: 2, notComparedTotal: 18, reasons: ['gap', 'venue_not_reached'] },
    },
  ]);
  expect(sums.map(leftOutWords)).toEqual(['18: gap, venue not reached']);
});

test('what was compared is said in a sentence', () => {
  expect(accuracySentence([])).toBe('no value could be compared yet');
  expect(accuracySentence([day('2026-11-25', 1_000), day('2026-11-26', 500)])).toBe('1,500 values compared, all equal');
  expect(accuracySentence([day('2026-11-25', 1_000, 3)])).toBe('1,000 values compared, 3 differ');
});
