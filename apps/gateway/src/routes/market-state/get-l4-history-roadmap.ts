import type { labeling, marketData } from '@market-state/contracts';
import { heldPackets } from '../../clients/packet-client';
import { fromProtoSourceKind } from '../../clients/market-data-client';
import type { ReadDeps } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { toUtcOrNull } from '../../serving/meta/meta';
import { dataAnswer, type OwnFields, serviceSource } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import { type Described, documentedWord } from '../../serving/openapi/document';

const HOUR_MS = 3_600_000;

/** Unit of record of each channel. */
const GRANULARITY: Readonly<Record<Described<'HeldChannel'>['channel'], string>> = {
  book: 'Aggregated price levels: up to 25 per side in recorded rows, up to 1,000 per side in the newest book.',
  trades: 'Each trade published by the venue, with its aggressor side.',
  context: 'Funding, open interest, mark and oracle price, at the rate that the venue sends them.',
  liquidations: 'Each forced close published by the venue.',
  control: 'The feed clock four times a second, and every feed change: connections, gaps and how they ended.',
  packets: 'One packet every ten seconds.',
};

/** Individual orders, which the venues used here do not publish. */
const ORDER_LEVEL = {
  evidence_state: 'held',
  recorded: false,
  held_reason:
    'The public feeds used by this service publish price levels and trades. None publishes individual orders with their changes, so ' +
    'there is nothing to record.',
  planned: false,
  planned_from_utc: null,
  plan: 'Not planned and not promised. A source that publishes individual orders would need its own feed and the rights to store it.',
} as const;

const channelNamed = documentedWord('HeldChannel', 'channel');

function storedChannel(
  channel: Described<'HeldChannel'>['channel'],
  reported: boolean,
  firstMs: number,
  lastMs: number,
  rowTotal: number | null,
  archiveHourTotal: number | null,
): Described<'HeldChannel'> {
  return {
    channel,
    reported,
    evidence_state: firstMs > 0 ? 'ready' : 'held',
    granularity: GRANULARITY[channel],
    order_level: false,
    first_time_utc: toUtcOrNull(firstMs),
    last_time_utc: toUtcOrNull(lastMs),
    depth_hours: firstMs > 0 ? Math.round(((lastMs - firstMs) / HOUR_MS) * 1_000) / 1_000 : null,
    row_total: rowTotal,
    archive_hour_total: archiveHourTotal,
  };
}

function packetCoverage(held: labeling.HeldPackets | undefined) {
  const { firstWindowEndMs = 0, lastWindowEndMs = 0, packetTotal = null, archive } = held ?? {};
  return storedChannel('packets', true, firstWindowEndMs, lastWindowEndMs, packetTotal, archive?.hourTotal ?? null);
}

function toSymbol({ symbol, venue, sourceKind, channels }: marketData.CatalogSymbol, held: labeling.HeldPackets | undefined) {
  const rows = channels.map((entry) =>
    storedChannel(channelNamed(entry.channel), entry.reported, entry.firstMs, entry.lastMs, entry.rowTotal, entry.archiveHourTotal),
  );
  return { symbol, venue, source_kind: fromProtoSourceKind(sourceKind), channels: [...rows, packetCoverage(held)] };
}

/** History depth of each channel; states that order-level history is not available. */
export function getL4HistoryRoadmap({ dataHealth, now, ...upstreams }: ReadDeps): Handler<'getL4HistoryRoadmap'> {
  return async (call) => {
    const [{ symbols: kept, storage }, held] = await Promise.all([
      upstreams.marketData.call.getCatalog({ asOfMs: 0 }),
      heldPackets(upstreams.packets, 0),
    ]);
    const symbols = kept.map((entry) => toSymbol(entry, held.get(entry.symbol)));
    const served = kept.map(({ venue, sourceKind }) => ({ venue, kind: fromProtoSourceKind(sourceKind) }));
    const fields: OwnFields<'L4HistoryRoadmap'> = {
      status: 'held',
      order_level_history: ORDER_LEVEL,
      hot_days: storage?.hotDays ?? null,
      archive_days: storage?.archiveDays ?? null,
      symbol_total: symbols.length,
      symbols,
    };
    return jsonRepresentation(
      dataAnswer(call, { ...serviceSource(served, dataHealth, now()), remark: 'Order-level history is not available.' }, fields),
    );
  };
}
