import { PACKET_MS } from '../../packets/board';
import type { LineageRow, Workbench } from './packet-queries';

/** A packet of the rail, by its distance from the one that the page shows: below 0 before it. */
export interface Neighbour {
  readonly row: LineageRow;
  readonly offset: number;
}

/** The packets before a packet, and those after it, oldest first. */
export function neighboursOf({ before, after }: Workbench['lineage']): readonly Neighbour[] {
  return [
    ...before.rows.map((row, index) => ({ row, offset: index - before.rows.length })),
    ...after.rows.map((row, index) => ({ row, offset: index + 1 })),
  ];
}

/** The packet right before, and the one right after. */
export function adjacent(neighbours: readonly Neighbour[]): { readonly previous: string | null; readonly next: string | null } {
  const idAt = (offset: number): string | null => neighbours.find((each) => each.offset === offset)?.row.event_id ?? null;
  return { previous: idAt(-1), next: idAt(1) };
}

/** `−10 s`, `+2 min`: how far a neighbour's window lies from that of the page's packet. */
export function distanceWords(fromMs: number, toMs: number): string {
  const seconds = Math.round((toMs - fromMs) / 1_000);
  const size = Math.abs(seconds);
  const words = size < 60 ? `${size} s` : size % 60 === 0 ? `${size / 60} min` : `${Math.floor(size / 60)} min ${size % 60} s`;
  return `${seconds < 0 ? '−' : '+'}${words}`;
}

/** Windows without a packet between two that follow on each other. */
export function missingBetween(fromUtc: string, toUtc: string): number {
  return Math.max(0, Math.round((Date.parse(toUtc) - Date.parse(fromUtc)) / PACKET_MS) - 1);
}
