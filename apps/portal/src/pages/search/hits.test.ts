import { facetsOf, foundIn, type Hit, timelineOf } from './hits';

const hit = (symbol: string, seconds: number, fields: object = {}) =>
  ({
    symbol,
    window_end_utc: new Date(seconds * 1_000).toISOString(),
    state: 'depth_watch',
    state_label: 'Depth watch',
    event_class: 'balanced_two_sided_context',
    severity: { score: 0.5, severity_class: 'high_context' },
    match: { filters: [], words: [] },
    ...fields,
  }) as unknown as Hit;

test('hits in consecutive windows form one run per symbol', () => {
  const timeline = timelineOf([hit('B', 60), hit('A', 50), hit('B', 30), hit('B', 20)]);
  expect(timeline).toMatchObject({ startMs: 10_000, endMs: 60_000 });
  expect(
    timeline?.lines.map(({ symbol, total, stateRuns }) => [symbol, total, stateRuns.map(({ startMs, endMs }) => [startMs, endMs])]),
  ).toEqual([
    ['A', 1, [[40_000, 50_000]]],
    [
      'B',
      3,
      [
        [10_000, 30_000],
        [50_000, 60_000],
      ],
    ],
  ]);
  expect(timelineOf([])).toBeNull();
});

test('facets count hits, most frequent first', () => {
  const facets = facetsOf([hit('B', 10), hit('A', 10, { state: 'crowding_shift' }), hit('A', 20)]);
  expect(facets.map(({ name, values }) => [name, values])).toEqual([
    [
      'symbol',
      [
        ['A', 2],
        ['B', 1],
      ],
    ],
    [
      'state',
      [
        ['depth_watch', 2],
        ['crowding_shift', 1],
      ],
    ],
  ]);
});

test('each place with matched words is listed once', () => {
  const words = [
    { word: 'depth', in_state: true, tags: ['depth:thin:hot'], reasons: ['Depth is thin.'] },
    { word: 'thin', in_state: false, tags: ['depth:thin:hot'], reasons: [] },
  ];
  expect(foundIn(hit('A', 10, { match: { filters: [], words } }))).toEqual(['Depth is thin.', 'depth:thin:hot']);
});
