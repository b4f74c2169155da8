import { differencesOf, adjacentEventIds, distanceWords, missingBetween, adjacentPacketsOf } from './adjacent-packets';
import type { LineageRow, Workbench } from './packet-queries';

const row = (fields: Partial<LineageRow>) =>
  ({
    state: 'depth_watch',
    winner_state: 'depth_watch',
    event_class: 'balanced_two_sided_context',
    market_read_direction: 'no_dominant_side',
    severity_score: 0.3,
    severity_class: 'routine_context',
    confidence_score: 0.5,
    novelty_score: 0.1,
    contradiction_score: 0,
    quality_score: 80,
    gap_flags: [],
    mid_price: 100.5,
    scores: { pressure: 0.2, flow: null, fragility: 0.1, crowding: null, forced_flow: 0, regime: 0.1 },
    ...fields,
  }) as LineageRow;

test('two packets are compared field by field, and missing values are never 0', () => {
  const changed = differencesOf(
    row({}),
    row({ state: 'flow_shift_watch', mid_price: 101, scores: { ...row({}).scores, flow: 0.4, pressure: 0.1 } }),
  )
    .filter(({ isSame }) => !isSame)
    .map(({ field, other, own, change }) => [field, other, own, change]);
  expect(changed).toEqual([
    ['published state', 'Depth watch', 'Flow shift watch', null],
    ['mid, USD', '100.50', '101.00', '+0.50'],
    ['pressure', '0.20', '0.10', '−0.10'],
    ['flow', 'not reported', '0.40', null],
  ]);
  expect(differencesOf(row({}), row({ severity_score: 0.301 })).find(({ field }) => field === 'severity')?.change).toBe('less than +0.01');
});

test('adjacent packets are listed by distance, and the nearest are found', () => {
  const lineage = {
    before: { rows: [{ event_id: 'a' }, { event_id: 'b' }] },
    after: { rows: [{ event_id: 'd' }] },
  } as unknown as Workbench['lineage'];
  const adjacentPackets = adjacentPacketsOf(lineage);
  expect(adjacentPackets.map(({ row: { event_id: id }, offset }) => [id, offset])).toEqual([
    ['a', -2],
    ['b', -1],
    ['d', 1],
  ]);
  expect(adjacentEventIds(adjacentPackets)).toEqual({ previous: 'b', next: 'd' });
  expect(adjacentEventIds([])).toEqual({ previous: null, next: null });
  expect([distanceWords(60_000, 50_000), distanceWords(0, 120_000), distanceWords(0, 90_000)]).toEqual(['−10 s', '+2 min', '+1 min 30 s']);
  expect([
    missingBetween('2026-01-01T00:00:10.000Z', '2026-01-01T00:00:20.000Z'),
    missingBetween('2026-01-01T00:00:10.000Z', '2026-01-01T00:01:00.000Z'),
  ]).toEqual([0, 4]);
});
