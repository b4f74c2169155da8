import type { labeling } from '@market-state/contracts';
import { internal, unavailable } from '@market-state/errors';
import {
  CHECKPOINT_SCHEMA,
  checkpointLine,
  PACKET_ROW_SCHEMA,
  type Packet,
  packetRowLine,
  signingKeyLine,
  signingKeyOf,
} from '@market-state/labeler';
import { decodeEvent, rowLine } from '@market-state/market-data';
import { fromProtoSourceKind } from '../../../clients/source-kind';
import type { Upstreams } from '../../../clients/upstreams';

/** Packets of a page hold 1 MiB at most, whatever is asked for. */
const PAGE_SIZE = 100;
/** Entries written without a break: some milliseconds of work. */
const BATCH_ENTRIES = 50;

/** What a bundle is made of. */
export interface BundleParts {
  readonly record: labeling.PacketRecord;
  /** The newest one before the packet; null: the log from its first entry. */
  readonly checkpoint: labeling.CheckpointHeader | null;
}

/** What has been written of a bundle so far. */
export interface BundleCount {
  entryTotal: number;
}

type Neighbours = Pick<Upstreams, 'packets' | 'marketData'>;

/**
 * The lines of a bundle in their order, a batch at a time: keys, checkpoint, entries up to the one that closed the window, packets. Ends
 * early when the signal aborts.
 * @throws ServiceError as the services do, and UNAVAILABLE while the last entry is not stored
 */
export async function* bundleLines(
  { packets, marketData }: Neighbours,
  { record, checkpoint }: BundleParts,
  count: BundleCount,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const { keys } = await packets.call.listSigningKeys({}, { signal });
  yield keys.map(({ publicKey }) => signingKeyLine(signingKeyOf(publicKey)));
  if (checkpoint !== null) yield [await lineOfCheckpoint(packets, checkpoint, signal)];

  const { symbol, windowEndMs, closingOrdinal } = record;
  const afterOrdinal = checkpoint?.ordinal ?? 0;
  let lastOrdinal = afterOrdinal;
  for await (const { entries } of marketData.call.streamLogEntries({ symbol, afterOrdinal, toOrdinal: closingOrdinal }, { signal })) {
    for (let from = 0; from < entries.length; from += BATCH_ENTRIES) {
      const events = entries.slice(from, from + BATCH_ENTRIES).map(decodeEvent);
      lastOrdinal = events.at(-1)?.ordinal ?? lastOrdinal;
      count.entryTotal += events.length;
      yield events.map(rowLine);
    }
  }
  signal.throwIfAborted();
  if (lastOrdinal < closingOrdinal)
    throw unavailable('upstream_unavailable', 'The log entry that closed its window is not stored yet. Ask again in a few seconds.');

  const span = { symbol, fromWindowEndMs: (checkpoint?.windowEndMs ?? 0) + 1, toWindowEndMs: windowEndMs + 1 };
  let pageToken = '';
  do {
    const page = await packets.call.listPackets({ ...span, descending: false, asOfMs: 0, pageSize: PAGE_SIZE, pageToken }, { signal });
    for (const held of page.packets) yield [lineOfPacket(held)];
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}

async function lineOfCheckpoint({ call }: Upstreams['packets'], header: labeling.CheckpointHeader, signal: AbortSignal): Promise<string> {
  const { symbol, windowEndMs, epoch, ordinal, lineageDigest, policyDigest, stateDigest } = header;
  const { stateGzip } = await call.getCheckpoint({ symbol, windowEndMs }, { signal });
  return checkpointLine({
    schema: CHECKPOINT_SCHEMA,
    symbol,
    window_end_ms: windowEndMs,
    epoch,
    ordinal,
    lineage_digest: lineageDigest,
    policy_digest: policyDigest,
    state_digest: stateDigest,
    state: Buffer.from(stateGzip).toString('base64'),
  });
}

/** The line of a packet as it is kept: whether it is what it should be is for its reader to find out. */
function lineOfPacket(record: labeling.PacketRecord): string {
  const packet = JSON.parse(record.body.toString('utf8')) as Packet;
  const sourceKind = fromProtoSourceKind(record.sourceKind);
  if (sourceKind === 'unknown') throw internal({ detail: `${record.packetId} has no source kind` });
  return packetRowLine({
    schema: PACKET_ROW_SCHEMA,
    symbol: record.symbol,
    window_end_ms: record.windowEndMs,
    packet_id: record.packetId,
    event_id: record.eventId,
    input_digest: record.inputDigest,
    policy_digest: record.policyDigest,
    previous_lineage_digest: packet.previous_lineage_digest,
    packet_digest: record.packetDigest,
    lineage_digest: record.lineageDigest,
    source_kind: sourceKind,
    closing_ordinal: record.closingOrdinal === 0 ? null : record.closingOrdinal,
    headline: record.headline,
    customer_next_step: record.customerNextStep,
    signature: record.signature.length === 0 ? null : record.signature.toString('base64'),
    signing_key_id: record.signingKeyId === '' ? null : record.signingKeyId,
    packet,
  });
}
