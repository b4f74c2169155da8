import { storyReadings } from './story-readings';

const utc = (seconds: number) => new Date(1_000 * seconds).toISOString();
const row = (seconds: number, state: string) => ({ event_time_utc: utc(seconds), state, state_label: state });
const span = (value: string, from: number, to: number, total: number) => ({
  ...{ value, label: value, start_utc: utc(from), end_utc: utc(to), packet_total: total },
});

test('a story has the states of packets that its rows leave out, unless a run of a state lacks one', () => {
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
