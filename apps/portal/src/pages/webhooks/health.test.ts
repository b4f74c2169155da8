import { healthOf, healthWord } from './health';
import type { Attempt } from './use-webhooks';

const TO_MS = Date.parse('2026-11-25T12:00:00.000Z');

function attempt(minutesAgo: number, outcome: string, id = 'wh_1'): Attempt {
  return { webhook_id: id, outcome, started_at_utc: new Date(TO_MS - minutesAgo * 60_000).toISOString() } as Attempt;
}

test('attempts stand in the stretch in which they began, of their own endpoint alone, and the newest in the last', () => {
  const slots = healthOf(
    [attempt(0, 'ok'), attempt(31, 'timeout'), attempt(35, 'ok'), attempt(5, 'ok', 'wh_2'), attempt(90, 'ok')],
    'wh_1',
    TO_MS,
    1,
    2,
  );
  expect(slots.map(({ attempts, failed }) => [attempts, failed])).toEqual([
    [2, 1],
    [1, 0],
  ]);
  expect(slots.map(healthWord)).toEqual(['mixed', 'good']);
});

test('a stretch without attempts is quiet, one in which all failed is bad', () => {
  const slots = healthOf([attempt(10, 'status_500')], 'wh_1', TO_MS, 1, 2);
  expect(slots.map(healthWord)).toEqual(['quiet', 'bad']);
});
