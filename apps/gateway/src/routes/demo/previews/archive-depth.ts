import { packetArchive, type PacketClient } from '../../../clients/packet-client';
import type { MarketDataClient } from '../../../clients/market-data-client';
import { fromProtoSourceKind } from '../../../clients/source-kind';

/** How deep the archive of a symbol is. An hour counts once, whatever channels have files of it. */
export async function archiveDepth(
  { marketData, packets }: { readonly marketData: MarketDataClient; readonly packets: PacketClient },
  symbol: string,
) {
  const [{ symbols, storage }, ofPackets] = await Promise.all([
    marketData.call.getCatalog({ asOfMs: 0 }),
    packetArchive(packets, symbol, 0),
  ]);
  const entry = symbols.find((candidate) => candidate.symbol === symbol);
  const kind = entry === undefined ? 'unknown' : fromProtoSourceKind(entry.sourceKind);
  const channels = entry?.channels ?? [];
  const hours = Math.max(0, ...channels.map(({ archiveHourTotal }) => archiveHourTotal));
  const sum = (pick: (channel: (typeof channels)[number]) => number): number =>
    channels.reduce((total, channel) => total + pick(channel), 0);
  return {
    live_owned_archive_hour_total: kind === 'live' ? hours : 0,
    recorded_archive_hour_total: kind === 'recorded' ? hours : 0,
    synthetic_archive_hour_total: kind === 'simulated' ? hours : 0,
    archive_row_total: sum(({ archiveRowTotal }) => archiveRowTotal),
    archive_byte_total: sum(({ archiveBytes }) => archiveBytes),
    stored_row_total: sum(({ rowTotal }) => rowTotal),
    packet_archive_hour_total: ofPackets?.hourTotal ?? null,
    packet_archive_packet_total: ofPackets?.packetTotal ?? null,
    hot_day_total: storage?.hotDays ?? null,
    archive_day_total: storage?.archiveDays ?? null,
  };
}

export type ArchiveDepth = Awaited<ReturnType<typeof archiveDepth>>;
