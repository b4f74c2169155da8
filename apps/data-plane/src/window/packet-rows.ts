import { type labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { ROW_FLAG } from '@market-state/market-data';
import { PACKETS } from './public-channels';
import type { Place, Window } from './window';

/** Packets of one read: at about 10 kB each, a megabyte. */
const PAGE = 100;

export interface PacketDeps {
  /** Absent: packets can't be reached. */
  readonly labeling: GrpcClient<typeof labeling.LabelingServiceService> | undefined;
}

/**
 * Packets of a window after a place, in the order of their closing entries; one whose entry is not known has no place. Rejects with a
 * ServiceError when labeling fails.
 */
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

/** A packet among rows, received with the entry that closed its window. */
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
