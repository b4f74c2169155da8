import type { labeling, account } from '@market-state/contracts';
import { eventOfRow, type MarketEvent } from '@market-state/market-data';
import { featureFamilyViews, previewPacketOf, type PreviewPacket, sourceFamilyViews } from '@market-state/packet-views';
import { type MarketDataClient, fromProtoSourceKind } from '../../../clients/market-data-client';
import { toUtc, definitions } from '../../../serving/meta/meta';
import { readRecord } from '../../../clients/packets/read-packet';
import { readSourceRows } from '../../../clients/packets/source-rows';
import type { Described } from '../../../serving/openapi/document';
import { receiptStatistics } from '../../../serving/answers/show-billing';
import { packetArchive, type PacketClient } from '../../../clients/packet-client';

/** Archive depth of a symbol. An hour counts once, however many channels have files for it. */
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

/** Public placeholder for a tenant. */
const SHOWN_TENANT = 'demo_tenant';

/** Without the caller or any id that could retrieve the receipt. */
export function showPublicReceipt({
  receiptId,
  planId,
  priced,
  status,
  servedTsMs,
}: account.ShownReceipt): Described<'CreditSpendReceipt'> {
  if (priced === undefined) throw new Error(`receipt ${receiptId} is incomplete`);
  return {
    receipt_id: receiptId,
    status,
    served_at_utc: toUtc(servedTsMs),
    plan_id: planId,
    tenant_id: SHOWN_TENANT,
    ...receiptStatistics(priced),
    produced_artifacts: [],
    call_to_artifact_flow: [
      { step: 'call', id: `${priced.method} ${priced.route}` },
      { step: 'receipt', id: receiptId },
    ],
    review_artifact_ids: [],
  };
}

export type PublicReceipt = Described<'CreditSpendReceipt'>;

/** Book levels per side in an excerpt. */
const LEVELS_SHOWN = 5;

type Level = Extract<MarketEvent, { readonly kind: 'book' }>['bids'][number];

function showLevels(levels: readonly Level[]): Described<'BookLevel'>[] {
  return levels.slice(0, LEVELS_SHOWN).map(({ price, size }) => ({ price, size }));
}

/** Null for rows that the service itself produces. */
function showRow(event: MarketEvent): Described<'ExcerptRow'> | null {
  const head = { sequence: event.ordinal, epoch: event.epoch, exchange_time_utc: toUtc(event.exchangeTsMs) };
  switch (event.kind) {
    case 'book':
      return { channel: 'book', ...head, bids: showLevels(event.bids), asks: showLevels(event.asks) };
    case 'trade':
      return {
        channel: 'trades',
        ...head,
        price: event.price,
        size: event.size,
        aggressor_side: event.aggressorSide,
        side: event.aggressorSide,
      };
    case 'context':
      return {
        channel: 'context',
        ...head,
        funding_rate: event.fundingRate ?? null,
        open_interest: event.openInterest ?? null,
        mark_price: event.markPrice ?? null,
        oracle_price: event.oraclePrice ?? null,
      };
    case 'liquidation':
      return {
        channel: 'liquidations',
        ...head,
        price: event.price,
        size: event.size,
        position_side: event.positionSide,
        provenance: event.provenance,
      };
    case 'tick':
    case 'feed_status':
      return null;
  }
}

export interface StoryEvidence {
  readonly shown: PreviewPacket;
  readonly excerpt: readonly Described<'ExcerptRow'>[];
  readonly sourceWindow: {
    readonly source_window_status: Described<'LineageStory'>['source_window_status'];
    readonly applied_row_total: number;
    readonly retained_row_total: number;
    readonly source_families: ReturnType<typeof sourceFamilyViews>;
    readonly packet_tag_quality: ReturnType<typeof featureFamilyViews>;
  };
}

/** Read as of an instant (0: now); shows a bounded part. */
export async function storyEvidence(marketData: MarketDataClient, record: labeling.PacketRecord, asOfMs: number): Promise<StoryEvidence> {
  const { packet } = readRecord(record).logged;
  const { status, appliedTotal, channels } = await readSourceRows(marketData, record, packet, asOfMs);
  const excerpt = channels
    .flatMap(({ rows }) => (rows ?? []).map((row) => ('row' in row ? showRow(eventOfRow(row.row)) : null)))
    .filter((row) => row !== null);
  return {
    shown: previewPacketOf(packet),
    excerpt,
    sourceWindow: {
      source_window_status: status,
      applied_row_total: appliedTotal,
      retained_row_total: channels.reduce((sum, { retained_in_window_total }) => sum + (retained_in_window_total ?? 0), 0),
      source_families: sourceFamilyViews(packet, definitions),
      packet_tag_quality: featureFamilyViews(packet, definitions),
    },
  };
}
