import type { StateReading } from '@market-state/packet-figures';
import type { ProofBrowser } from './home-queries';

type LineageStory = ProofBrowser['public_packet_lineage_stories'][number];
type StatesOfStory = Pick<LineageStory, 'timeline_rows' | 'lineage_visualization'>;

const MS = 1_000;

/**
 * Published states of a story, oldest first: those of the packets in its rows, and those of the others in each run of a state that lacks
 * no packet.
 */
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
