import type { StateReading } from '@market-state/packet-figures';
import type { ProofBrowser } from './home-queries';

type LineageStory = ProofBrowser['public_packet_lineage_stories'][number];
type StatesOfStory = Pick<LineageStory, 'timeline_rows' | 'lineage_visualization'>;

const MS = 1_000;

/** Oldest first: rows of the timeline, plus the packets between them in each uninterrupted run of a state. */
export function storyReadings({ timeline_rows: rows, lineage_visualization: lineage }: StatesOfStory): readonly StateReading[] {
  const stepMs = MS * lineage.expected_interval_seconds;
  const readings = new Map<number, StateReading>();
  for (const { event_time_utc: end, state, state_label: stateLabel } of rows)
    readings.set(Date.parse(end), { windowEndMs: Date.parse(end), state, stateLabel });
  for (const { value: state, label: stateLabel, start_utc: first, end_utc: last, packet_total: total } of lineage.state_spans) {
    const [firstMs, lastMs] = [Date.parse(first), Date.parse(last)];
    if ((lastMs - firstMs) / stepMs + 1 !== total) continue;
    for (let windowEndMs = firstMs; windowEndMs <= lastMs; windowEndMs += stepMs)
      readings.set(windowEndMs, { windowEndMs, state, stateLabel });
  }
  return [...readings.values()].sort((a, b) => a.windowEndMs - b.windowEndMs);
}

interface LinePoint {
  readonly atMs: number;
  readonly value: number | null;
}

/**
 * SVG path in a box of 100 × 100, lowest value at the bottom. It breaks at null and where points are further apart than
 * `stepMs`.
 */
export function linePath(points: readonly LinePoint[], startMs: number, endMs: number, stepMs: number): string {
  const values = points.flatMap(({ value }) => (value === null ? [] : [value]));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  let beforeMs: number | null = null;
  let path = '';
  for (const { atMs, value } of points) {
    if (value === null) {
      beforeMs = null;
      continue;
    }
    const x = (100 * (atMs - startMs)) / (endMs - startMs);
    const y = high === low ? 50 : 100 - (100 * (value - low)) / (high - low);
    path += `${beforeMs === null || atMs - beforeMs > stepMs ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`;
    beforeMs = atMs;
  }
  return path;
}
