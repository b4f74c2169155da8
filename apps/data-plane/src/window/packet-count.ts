import { WINDOW_MS } from '@market-state/market-data';
import { INSTANT_MS_MAX } from '@market-state/request-checks';
import type { PacketDeps } from './packet-rows';
import type { Window } from './window';

/** How many packets a window has, by their numbers in the packet log. */
export interface PacketCount {
  readonly total: number;
  /** Every packet of the window is made. */
  readonly isFinished: boolean;
  /** Packets of the window may have been dropped. */
  readonly beforeRetention: boolean;
}

/** Counts packets without reading them: their numbers rise by 1. Rejects with a ServiceError; undefined without a labeling service. */
export async function countPackets(
  { labeling }: PacketDeps,
  { symbol, startMs, endMs }: Pick<Window, 'symbol' | 'startMs' | 'endMs'>,
): Promise<PacketCount | undefined> {
  if (labeling === undefined) return undefined;
  const firstAfter = async (windowEndMs: number) =>
    (await labeling.call.listNeighbours({ symbol, windowEndMs, before: 0, after: 1, asOfMs: 0 })).after[0];
  const newest = (await labeling.call.listNeighbours({ symbol, windowEndMs: INSTANT_MS_MAX, before: 1, after: 0, asOfMs: 0 })).before[0];
  const [oldest, first, next] = await Promise.all([firstAfter(0), firstAfter(Math.max(0, startMs - 1)), firstAfter(endMs - 1)]);
  const beforeRetention = oldest !== undefined && oldest.sequence > 1 && oldest.windowEndMs >= startMs + WINDOW_MS;
  if (first === undefined) return { total: 0, isFinished: false, beforeRetention };
  if (next !== undefined) return { total: next.sequence - first.sequence, isFinished: true, beforeRetention };
  const lastEndMs = Math.floor((endMs - 1) / WINDOW_MS) * WINDOW_MS;
  const newestEndMs = newest?.windowEndMs ?? 0;
  return { total: (newest?.sequence ?? first.sequence) - first.sequence + 1, isFinished: newestEndMs >= lastEndMs, beforeRetention };
}
