import type { Definitions } from '../definitions/definitions';
import type { TapeEntry } from './tape-packet';

/** A run of packets that share a word. */
export interface Span {
  readonly value: string;
  readonly label: string;
  readonly start_utc: string;
  readonly end_utc: string;
  readonly packet_total: number;
}

/** Runs of packets with the same word, oldest first; a run begins and ends at the ends of its first and last window. */
export function spansOf(entries: readonly TapeEntry[], wordOf: (entry: TapeEntry) => readonly [value: string, label: string]): Span[] {
  const spans: Span[] = [];
  for (const entry of entries) {
    const [value, label] = wordOf(entry);
    const last = spans.at(-1);
    if (last?.value === value) spans[spans.length - 1] = { ...last, end_utc: entry.packet.ts, packet_total: last.packet_total + 1 };
    else spans.push({ value, label, start_utc: entry.packet.ts, end_utc: entry.packet.ts, packet_total: 1 });
  }
  return spans;
}

export type DensityState = 'source_window_sparse' | 'packet_generation_sparse' | 'packet_tape_sparse' | 'dense';

/** The number of packets found and expected in a series. */
export function gapStats(entries: readonly TapeEntry[], { numbers }: Definitions) {
  const intervalMs = numbers.windows.packet_interval_ms;
  const [first] = entries;
  const last = entries.at(-1);
  const spanMs = first === undefined || last === undefined ? 0 : last.windowEndMs - first.windowEndMs;
  const steps = entries.slice(1).map((entry, index) => entry.windowEndMs - (entries[index]?.windowEndMs ?? entry.windowEndMs));
  const expected = entries.length === 0 ? 0 : spanMs / intervalMs + 1;
  return {
    expected_interval_seconds: intervalMs / 1_000,
    expected_packet_total: expected,
    packet_total: entries.length,
    missing_packet_total: expected - entries.length,
    gap_total: steps.filter((step) => step > intervalMs).length,
    longest_interval_seconds: steps.length === 0 ? null : Math.max(...steps) / 1_000,
  };
}

/** The density of a series of packets and the rows behind it: the first state that applies. */
export function densityOf(entries: readonly TapeEntry[], { numbers }: Definitions): DensityState {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return 'packet_tape_sparse';
  const intervalMs = numbers.windows.packet_interval_ms;
  const expected = (last.windowEndMs - first.windowEndMs) / intervalMs + 1;
  const sourceRows = entries.reduce((sum, { packet }) => sum + (packet.packet_lineage_summary.window_event_totals.book ?? 0), 0);
  if (sourceRows < (expected * intervalMs) / numbers.staleness.book_ms / 2) return 'source_window_sparse';
  if (last.sequence - first.sequence + 1 < expected / 2) return 'packet_generation_sparse';
  return entries.length < expected / 2 ? 'packet_tape_sparse' : 'dense';
}
