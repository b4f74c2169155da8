import {
  incompleteWords,
  type Incident,
  lastedWords,
  openFirst,
  shareWords,
  stageWords,
  channelSentence,
  type Day,
  daysByChannel,
  dayTitle,
  observedWords,
  type Accuracy,
  accuracySentence,
  leftOutWords,
  sumByMeasure,
  faultsOf,
  stagesOf,
} from './status-facts';
import type { Readiness } from '../../service/use-readiness';
import type { Health } from './use-status';

type AuditDay = Accuracy['rows'][number];

function auditDay(date: string, compared: number, differing = 0, reasons: AuditDay['not_compared_reasons'] = []): AuditDay {
  return {
    ...{ symbol: 'SIMUSD-PERP', venue: 'simulated', measure: 'candles', compared_with: 'venue', date, run_total: 144 },
    ...{ compared_total: compared, equal_total: compared - differing, differing_total: differing },
    ...{ not_compared_total: reasons.length * 6, not_compared_reasons: reasons },
    ...{ last_run_utc: `${date}T23:50:00.000Z`, largest_difference: null },
  };
}

test('days of a measure are summed, with the newest run and each reason once', () => {
  const sums = sumByMeasure([auditDay('2026-11-25', 100, 2, ['gap']), auditDay('2026-11-26', 50, 0, ['gap', 'venue_not_reached'])]);
  expect(sums).toEqual([
    {
      ...{ symbol: 'SIMUSD-PERP', venue: 'simulated', measure: 'candles', compared_with: 'venue', lastRunUtc: '2026-11-26T23:50:00.000Z' },
      ...{ comparedTotal: 150, differingTotal: 2, notComparedTotal: 18, reasons: ['gap', 'venue_not_reached'] },
    },
  ]);
  expect(sums.map(leftOutWords)).toEqual(['18: gap, venue not reached']);
});

test('comparisons are summarized in a sentence', () => {
  expect(accuracySentence([])).toBe('no values compared yet');
  expect(accuracySentence([auditDay('2026-11-25', 1_000), auditDay('2026-11-26', 500)])).toBe('1,500 values compared, all equal');
  expect(accuracySentence([auditDay('2026-11-25', 1_000, 3)])).toBe('1,000 values compared, 3 differ');
});

function day(date: string, condition: Day['condition'], completeness = 1, reasons: Day['reasons'] = []): Day {
  return {
    ...{ channel: 'book', date, condition, reasons, completeness, row_total: 5, observed_seconds: completeness * 86_400 },
    ...{ gap_ids: [], gap_total: 0, last_modified_utc: null },
  };
}

test('a channel in a sentence: complete days, other days and the current day', () => {
  const days = [day('2026-11-24', 'available'), day('2026-11-25', 'degraded', 0.99), day('2026-11-26', 'missing', 0)];
  expect(channelSentence(days)).toBe('1 of 3 days complete, 1 incomplete, 1 without rows');
  expect(channelSentence([day('2026-11-27', 'pending', 0.5, ['day_not_finished'])])).toBe('today 50 % so far');
  expect(channelSentence([day('2026-11-27', 'pending', 0, ['channel_not_reported', 'day_not_finished'])])).toBe(
    'not reported by the venue',
  );
});

test('a day with a gap never reads as complete', () => {
  expect([0.999999, 1, 0].map((completeness) => observedWords({ completeness }))).toEqual(['99.99 %', '100 %', '0 %']);
  expect(dayTitle(day('2026-11-25', 'degraded', 0.999999, ['feed_down']))).toBe('2026-11-25, degraded, 99.99 % observed: feed down');
});

test('channels keep their order', () => {
  const trades: Day = { ...day('2026-11-25', 'available'), channel: 'trades' };
  expect(daysByChannel([trades, day('2026-11-25', 'available'), trades]).map(([channel, days]) => [channel, days.length])).toEqual([
    ['trades', 2],
    ['book', 1],
  ]);
});

function incident(opened: string, closed: string | null): Incident {
  return {
    ...{ incident_id: 'inc_1', kind: 'gap', opened_utc: opened, closed_utc: closed, duration_seconds: null },
    ...{ symbols: [], gap_ids: [], sentence: '' },
  };
}

test('open incidents come first, and the order is stable', () => {
  const [a, b, c] = [
    incident('2026-11-27T10:00:00.000Z', '2026-11-27T10:01:00.000Z'),
    incident('2026-11-27T09:00:00.000Z', null),
    incident('2026-11-27T08:00:00.000Z', '2026-11-27T08:01:30.000Z'),
  ];
  expect(openFirst([a, b, c])).toEqual([b, a, c]);
  expect(lastedWords(b, '2026-11-27T09:02:00.000Z')).toBe('2 min so far');
  expect(lastedWords(c, '2026-11-27T09:02:00.000Z')).toBe('1 min 30 s');
});

test('an incomplete share never reads as 100 %', () => {
  expect([0.999999, 1, 0.0, null].map(shareWords)).toEqual(['99.99 %', '100.00 %', '0.00 %', 'none yet']);
});

test('both quantiles, or that there was no packet', () => {
  expect(stageWords({ packet_total: 6, p50_ms: 12, p99_ms: 1_400, minutes_without_figures: 0 })).toBe('12 and 1,400 ms');
  expect(stageWords({ packet_total: 0, p50_ms: null, p99_ms: null, minutes_without_figures: 0 })).toBe('no packet');
});

test('an incomplete list names what it may lack', () => {
  expect(incompleteWords([])).toBe('');
  expect(incompleteWords([{ part: 'reads', kinds: ['reads_failing'] }])).toBe(
    'This list is incomplete: it may lack reads failing, because a part of the service does not respond.',
  );
});

const component = (name: string, healthy: boolean, detail: string | null = null) => ({
  component: name,
  kind: 'service',
  healthy,
  latency_ms: 3,
  detail,
});
const health = (...components: ReturnType<typeof component>[]) => ({ components }) as unknown as Health;

test('a failing part in any stage is listed among the faults with its own detail', () => {
  const readiness = { dependencies: [{ name: 'packets', ready: false, detail: 'ETHUSD-PERP has none.' }] } as unknown as Readiness;
  const faults = faultsOf(stagesOf(health(component('feed', true), component('recorder', false, 'The disk is full.')), readiness));
  expect(faults.map(({ name, detail }) => [name, detail])).toEqual([
    ['Recorder', 'The disk is full.'],
    ['Packets are fresh', 'ETHUSD-PERP has none.'],
  ]);
});

test('markets are grouped, and unknown parts are still shown', () => {
  const stages = stagesOf(health(component('feed:BTCUSD-PERP', true), component('time_machine', false)), undefined);
  expect(stages[0]?.parts.map(({ name }) => name)).toEqual(['BTCUSD-PERP']);
  expect(faultsOf(stages).map(({ name }) => name)).toEqual(['time machine']);
});

test('a part that nothing was said of is unknown, not working', () => {
  expect(stagesOf(undefined, undefined)[1]?.parts.map(({ works }) => works)).toEqual([null, null]);
});
