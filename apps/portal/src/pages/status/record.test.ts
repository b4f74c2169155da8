import { incompleteWords, type Incident, lastedWords, openFirst, shareWords, stageWords } from './record';

function incident(opened: string, closed: string | null): Incident {
  return {
    ...{ incident_id: 'inc_1', kind: 'gap', opened_utc: opened, closed_utc: closed, duration_seconds: null },
    ...{ symbols: [], gap_ids: [], sentence: '' },
  };
}

test('incidents that last come before those that are over, whose order stays', () => {
  const [a, b, c] = [
    incident('2026-11-27T10:00:00.000Z', '2026-11-27T10:01:00.000Z'),
    incident('2026-11-27T09:00:00.000Z', null),
    incident('2026-11-27T08:00:00.000Z', '2026-11-27T08:01:30.000Z'),
  ];
  expect(openFirst([a, b, c])).toEqual([b, a, c]);
  expect(lastedWords(b, '2026-11-27T09:02:00.000Z')).toBe('2 min so far');
  expect(lastedWords(c, '2026-11-27T09:02:00.000Z')).toBe('1 min 30 s');
});

test('a share with something missing never reads as whole', () => {
  expect([0.999999, 1, 0.0, null].map(shareWords)).toEqual(['99.99 %', '100.00 %', '0.00 %', 'none yet']);
});

test('both quantiles, or that there was no packet', () => {
  expect(stageWords({ packet_total: 6, p50_ms: 12, p99_ms: 1_400, minutes_without_figures: 0 })).toBe('12 and 1,400 ms');
  expect(stageWords({ packet_total: 0, p50_ms: null, p99_ms: null, minutes_without_figures: 0 })).toBe('no packet');
});

test('a list that is not whole says what it may lack', () => {
  expect(incompleteWords([])).toBe('');
  expect(incompleteWords([{ part: 'reads', kinds: ['reads_failing'] }])).toBe(
    'This list is not whole: it may lack reads failing, because a part of the service does not answer.',
  );
});
