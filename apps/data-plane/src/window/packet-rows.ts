import { type labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { ROW_FLAG, WINDOW_MS } from '@market-state/market-data';
import { INSTANT_MS_MAX } from '@market-state/request-checks';
import { PACKETS } from './public-channels';
import type { Place, Window } from './window';

export interface PacketCount {
  readonly total: number;
  readonly isFinished: boolean;
  /** Retention may have dropped packets of the window. */
  readonly beforeRetention: boolean;
}

/** Maximum lead of venue time, which dates windows, over the feed clock, which dates packets. */
const VENUE_AHEAD_MS_MAX = 60_000;

/**
 * Counts packets known by the as-of instant by consecutive numbers, without reading. Undefined without a labeling
 * service. Asks for the oldest packet only if the first one leaves room for an earlier one in the window.
 */
export async function countPackets(
  { labeling }: PacketDeps,
  { symbol, startMs, endMs, asOfMs }: Pick<Window, 'symbol' | 'startMs' | 'endMs' | 'asOfMs'>,
): Promise<PacketCount | undefined> {
  if (labeling === undefined) return undefined;
  const firstAfter = async (windowEndMs: number) =>
    (await labeling.call.listNeighbours({ symbol, windowEndMs, before: 0, after: 1, asOfMs: 0 })).after[0];
  const newestKnown = async () => {
    const windowEndMs = Math.min(asOfMs + VENUE_AHEAD_MS_MAX, INSTANT_MS_MAX);
    return (await labeling.call.listNeighbours({ symbol, windowEndMs, before: 1, after: 0, asOfMs })).before[0];
  };
  const [first, next, newest] = await Promise.all([firstAfter(Math.max(0, startMs - 1)), firstAfter(endMs - 1), newestKnown()]);
  if (first === undefined) return { total: 0, isFinished: false, beforeRetention: false };
  const oldest = first.windowEndMs < startMs + WINDOW_MS ? undefined : await firstAfter(0);
  const beforeRetention = oldest !== undefined && oldest.sequence > 1 && oldest.windowEndMs >= startMs + WINDOW_MS;
  const newestEndMs = newest?.windowEndMs ?? 0;
  if (next !== undefined && newestEndMs >= endMs) return { total: next.sequence - first.sequence, isFinished: true, beforeRetention };
  const lastEndMs = Math.floor((endMs - 1) / WINDOW_MS) * WINDOW_MS;
  const total = newest === undefined ? 0 : Math.max(0, newest.sequence - first.sequence + 1);
  return { total, isFinished: newestEndMs >= lastEndMs, beforeRetention };
}

/** About a megabyte at 10 kB each. */
const PAGE = 100;

export interface PacketDeps {
  readonly labeling: GrpcClient<typeof labeling.LabelingServiceService> | undefined;
}

/** Ordered by closing entry; skips packets whose entry is unknown. Rejects with a ServiceError if labeling fails. */
export async function* packetRows(
  { labeling }: PacketDeps,
  window: Window,
  after: Place,
): AsyncGenerator<marketData.DataRow, void, undefined> {
  if (labeling === undefined) return;
  const request = {
    symbol: window.symbol,
    fromWindowEndMs: window.startMs,
    toWindowEndMs: window.endMs,
    pageSize: PAGE,
    descending: false,
    asOfMs: 0,
  };
  let pageToken = '';
  do {
    const page = await labeling.call.listPackets({ ...request, pageToken });
    for (const packet of page.packets) {
      if (isAfter(packet, after) && packet.closingOrdinal <= window.toOrdinal && packet.knownTsMs <= window.asOfMs) yield toRow(packet);
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

function isAfter({ closingOrdinal, windowEndMs }: labeling.PacketRecord, after: Place): boolean {
  if (closingOrdinal === 0) return false;
  return closingOrdinal > after.ordinal || (closingOrdinal === after.ordinal && windowEndMs > after.packetWindowEndMs);
}

function toRow(packet: labeling.PacketRecord): marketData.DataRow {
  return {
    channel: PACKETS,
    sequence: packet.closingOrdinal,
    epoch: packet.closingEpoch,
    exchangeTsMs: packet.windowEndMs,
    receivedTsMs: packet.knownTsMs,
    flags: packet.sourceKind === marketData.SourceKind.SIMULATED ? ROW_FLAG.synthetic : 0,
    line: packet.body,
    packetDigest: packet.packetDigest,
    packetWindowEndMs: packet.windowEndMs,
  };
}
