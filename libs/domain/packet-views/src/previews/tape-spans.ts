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

type DensityState = 'source_window_sparse' | 'packet_generation_sparse' | 'packet_tape_sparse' | 'dense';

/**
 * The packets of a chain that exist, are shown and are missing. A window counts as missing only when the positions in the packet log
 * leave no room for its packet: a packet that is not shown, or not on the tape, is omitted.
 */
export function gapStats(chain: readonly TapeEntry[], shownTotal: number, { numbers }: Definitions) {
  const intervalMs = numbers.windows.packet_interval_ms;
  const [first] = chain;
  const last = chain.at(-1);
  const sequenceTotal = first === undefined || last === undefined ? 0 : last.sequence - first.sequence + 1;
  const expected = first === undefined || last === undefined ? 0 : (last.windowEndMs - first.windowEndMs) / intervalMs + 1;
  const intervals = chain.slice(1).map((later, index) => {
    const before = chain[index] ?? later;
    return later.windowEndMs - before.windowEndMs - (later.sequence - before.sequence - 1) * intervalMs;
  });
  return {
    expected_interval_seconds: intervalMs / 1_000,
    expected_packet_total: expected,
    packet_total: shownTotal,
    omitted_packet_total: sequenceTotal - shownTotal,
    missing_packet_total: expected - sequenceTotal,
    gap_total: intervals.filter((interval) => interval > intervalMs).length,
    longest_interval_seconds: intervals.length === 0 ? null : Math.max(...intervals) / 1_000,
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
