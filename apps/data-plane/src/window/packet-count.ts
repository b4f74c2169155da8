import type { PacketDeps } from './packet-rows';
import type { Window } from './window';

/** Spacing of window ends. */
const STEP_MS = 10_000;

/** How many packets a window has, by their numbers in the packet log. */
export interface PacketCount {
  readonly total: number;
  /** Every packet of the window is made. */
  readonly isFinished: boolean;
  /** Packets of the window may have been dropped. */
  readonly beforeRetention: boolean;
}

/** Counts packets without reading them: their numbers rise by 1. Rejects with a ServiceError; undefined without a labeling service. */
export async function countPackets({ labeling }: PacketDeps, { symbol, startMs, endMs }: Pick<Window, 'symbol' | 'startMs' | 'endMs'>): Promise<PacketCount | undefined> {
  if (labeling === undefined) return undefined;
  const firstFrom = async (fromWindowEndMs: number) =>
    (await labeling.call.listPackets({ symbol, fromWindowEndMs, toWindowEndMs: 0, pageSize: 1, pageToken: '', descending: false, asOfMs: 0 })).packets[0];
  const { packet: newest } = await labeling.call.getLatestPacket({ symbol, asOfMs: 0 });
  const [oldest, first, next] = await Promise.all([firstFrom(0), firstFrom(startMs), firstFrom(endMs)]);
  const beforeRetention = oldest !== undefined && oldest.sequence > 1 && oldest.windowEndMs >= startMs + STEP_MS;
  if (first === undefined) return { total: 0, isFinished: false, beforeRetention };
  if (next !== undefined) return { total: next.sequence - first.sequence, isFinished: true, beforeRetention };
  const lastEndMs = Math.floor((endMs - 1) / STEP_MS) * STEP_MS;
  const newestEndMs = newest?.windowEndMs ?? 0;
  return { total: (newest?.sequence ?? first.sequence) - first.sequence + 1, isFinished: newestEndMs >= lastEndMs, beforeRetention };
}
