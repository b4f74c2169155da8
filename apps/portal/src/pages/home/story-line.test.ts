import { linePath, storyReadings } from './story-line';

const utc = (seconds: number) => new Date(1_000 * seconds).toISOString();
const row = (seconds: number, state: string) => ({ event_time_utc: utc(seconds), state, state_label: state });
const span = (value: string, from: number, to: number, total: number) => ({
  ...{ value, label: value, start_utc: utc(from), end_utc: utc(to), packet_total: total },
});

test('a story includes packets left out of its rows, unless their run has a gap', () => {
  const rows = [row(10, 'a'), row(60, 'a'), row(70, 'b'), row(100, 'b')];
  const state_spans = [span('a', 10, 60, 6), span('b', 70, 100, 3)];
  const story = { timeline_rows: rows, lineage_visualization: { expected_interval_seconds: 10, state_spans } };
  const readings = storyReadings(story as unknown as Parameters<typeof storyReadings>[0]);
  expect(readings.map(({ windowEndMs, state }) => `${state}${windowEndMs / 1_000}`)).toEqual([
    'a10',
    'a20',
    'a30',
    'a40',
    'a50',
    'a60',
    'b70',
    'b100',
  ]);
});

const point = (atMs: number, value: number | null) => ({ atMs, value });

test('a line connects its points, lowest at the bottom', () => {
  expect(linePath([point(0, 1), point(10, 3), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00L50.00 0.00L100.00 50.00');
});

test('no line crosses a gap, whether a value or a packet is missing', () => {
  expect(linePath([point(0, 1), point(10, null), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00M100.00 0.00');
  expect(linePath([point(0, 1), point(20, 2)], 0, 20, 10)).toBe('M0.00 100.00M100.00 0.00');
});

test('a constant price is a horizontal line', () => {
  expect(linePath([point(0, 5), point(10, 5)], 0, 10, 10)).toBe('M0.00 50.00L100.00 50.00');
});
