import type { labeling } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';
import { toUtc } from '../../../serving/meta/instant';
import type { Described } from '../../../serving/openapi/described';

/** The window of a packet: start < exchange time ≤ end. Milliseconds since the epoch. */
export interface PacketWindow {
  readonly startMs: number;
  readonly endMs: number;
}

export function windowOfPacket({ windowEndMs }: Pick<labeling.PacketRecord, 'windowEndMs'>): PacketWindow {
  return { startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs };
}

/** The window in public form. */
export function joinWindow({ startMs, endMs }: PacketWindow): Described<'JoinWindow'> {
  return { start_utc: toUtc(startMs), end_utc: toUtc(endMs), length_ms: endMs - startMs };
}

/** Parameters of a replay of rows with start < exchange time ≤ end: a replay takes its start in and leaves its end out. */
export function replayBounds({ startMs, endMs }: PacketWindow): { readonly start: string; readonly end: string } {
  return { start: toUtc(startMs + 1), end: toUtc(endMs + 1) };
}
