import type { Column, Row } from '@market-state/archive';
import type { PartPlan, SourceHour } from '../jobs/part';
import type { ExportSpec } from '../jobs/spec';
import type { Upstreams } from '../upstreams';

const HOUR_MS = 3_600_000;
const PAGE_SIZE = 100;

/** Columns of packets, named and typed as in the archive's files. */
export const PACKET_COLUMNS: readonly Column[] = [
  { name: 'window_end_ms', type: 'int64' },
  { name: 'sequence', type: 'int64' },
  ...['packet_id', 'event_id', 'body', 'packet_digest', 'lineage_digest', 'input_digest', 'policy_digest'].map(
    (name): Column => ({ name, type: 'text' }),
  ),
  { name: 'signature', type: 'blob' },
  { name: 'signing_key_id', type: 'text' },
  { name: 'known_ts_ms', type: 'int64' },
];

/** Packets of an hour, a page at a time. */
export async function* packetRows(
  { labeling }: Pick<Upstreams, 'labeling'>,
  { spec, symbol, plan, hour }: { readonly spec: ExportSpec; readonly symbol: string; readonly plan: PartPlan; readonly hour: SourceHour },
): AsyncGenerator<Row[]> {
  let pageToken = '';
  do {
    const page = await labeling.call.listPackets({
      symbol,
      fromWindowEndMs: Math.max(plan.fromMs, hour.hourMs),
      toWindowEndMs: Math.min(plan.toMs, hour.hourMs + HOUR_MS),
      pageSize: PAGE_SIZE,
      pageToken,
      descending: false,
      asOfMs: spec.asOfMs,
    });
    yield page.packets.map(
      (packet): Row => [
        packet.windowEndMs,
        packet.sequence,
        packet.packetId,
        packet.eventId,
        packet.body.toString('utf8'),
        packet.packetDigest,
        packet.lineageDigest,
        packet.inputDigest,
        packet.policyDigest,
        packet.signature.length === 0 ? null : packet.signature,
        packet.signingKeyId === '' ? null : packet.signingKeyId,
        packet.knownTsMs,
      ],
    );
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
