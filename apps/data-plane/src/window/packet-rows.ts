import { type labeling, marketData } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import type { Pool } from 'pg';
import { readReceiveTimes } from '../store/closing-entries';
import { FLAG } from '../store/row-flag';
import { PACKETS } from './public-channels';
import type { Place, Window } from './window';

/** Packets of one read: at about 10 kB each, a megabyte. */
const PAGE = 100;

export interface PacketDeps {
  readonly pool: Pool;
  /** Absent: packets can't be reached. */
  readonly labeling: GrpcClient<typeof labeling.LabelingServiceService> | undefined;
}

/** Packets of a window after a place, in the order of their closing entries; one whose entry is not known has no place. Rejects with a ServiceError when labeling fails. */
export async function* packetRows(deps: PacketDeps, window: Window, after: Place): AsyncGenerator<marketData.DataRow, void, undefined> {
  if (deps.labeling === undefined) return;
  const request = { symbol: window.symbol, fromWindowEndMs: window.startMs, toWindowEndMs: window.endMs, pageSize: PAGE, descending: false, asOfMs: 0 };
  let pageToken = '';
  do {
    const page = await deps.labeling.call.listPackets({ ...request, pageToken });
    const wanted = page.packets.filter((packet) => isAfter(packet, after) && packet.closingOrdinal <= window.toOrdinal);
    for (const row of await toRows(deps.pool, window, wanted)) yield row;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

function isAfter({ closingOrdinal, windowEndMs }: labeling.PacketRecord, after: Place): boolean {
  if (closingOrdinal === 0) return false;
  return closingOrdinal > after.ordinal || (closingOrdinal === after.ordinal && windowEndMs > after.packetWindowEndMs);
}

/** Received with its closing entry; where that is no longer among the hot rows, at the window's closing time. */
async function toRows(pool: Pool, { symbol, asOfMs, closingLagMs }: Window, packets: readonly labeling.PacketRecord[]): Promise<marketData.DataRow[]> {
  if (packets.length === 0) return [];
  const closing = await readReceiveTimes(pool, symbol, packets.map(({ closingOrdinal }) => closingOrdinal));
  const rows = packets.map((packet): marketData.DataRow => {
    return {
      channel: PACKETS,
      sequence: packet.closingOrdinal,
      epoch: packet.closingEpoch,
      exchangeTsMs: packet.windowEndMs,
      receivedTsMs: closing.get(packet.closingOrdinal) ?? packet.windowEndMs + closingLagMs,
      flags: packet.sourceKind === marketData.SourceKind.SIMULATED ? FLAG.synthetic : 0,
      line: packet.body,
      packetDigest: packet.packetDigest,
      packetWindowEndMs: packet.windowEndMs,
    };
  });
  return rows.filter(({ receivedTsMs }) => receivedTsMs <= asOfMs);
}
