import { type labeling, marketData } from '@market-state/contracts';
import { CHANNEL_NAMES, type ChannelName, fromProtoSourceKind } from '../clients/market-data-client';
import { responseStateOf, toUtc, answerText } from '../serving/meta/meta';
import { type Frame, makeFrame, type NumberedGap } from './frame';
import type { StreamPosition } from './position';
import { fromProtoPacket } from '../clients/packet-client';
import { type PacketView, toCompactRow } from '../serving/answers/packet-answer';
import { publicGap, publicRow } from '../serving/answers/public-row';
import { type Described, documentedWord } from '../serving/openapi/document';

function channelOf(name: string): ChannelName | null {
  return CHANNEL_NAMES.find((channel) => channel === name) ?? null;
}

const SYNTHETIC = 16;

const ROW_PLACE = { windowEndMs: 0, gapsSent: 0, packetSent: false } as const;

const TICK = Buffer.from('{"schema":"market_state_row.v1","kind":"tick",');

function replacedBy({ channel, line }: marketData.DataRow): Frame['replacedBy'] {
  if (channel === 'book') return 'book';
  return channel === 'control' && TICK.equals(line.subarray(0, TICK.length)) ? 'tick' : null;
}

/** @param takenAtMs instant used for conflation, in milliseconds since the epoch */
export function rowFrame(row: marketData.DataRow, takenAtMs: number): Frame {
  const { epoch, sequence: ordinal } = row;
  if (row.channel === 'packets') {
    const windowEndMs = row.packetWindowEndMs;
    const position: StreamPosition = { epoch, ordinal, windowEndMs, gapsSent: 0, packetSent: true };
    const facts = { kind: 'packet', channel: 'packets', epoch, ordinal, gapNumber: 0, windowEndMs, receivedMs: 0 } as const;
    return makeFrame({ ...facts, takenAtMs, replacedBy: null }, 'row', position, publicRow(row));
  }
  const position: StreamPosition = { epoch, ordinal, ...ROW_PLACE };
  const facts = { kind: 'row', channel: channelOf(row.channel), epoch, ordinal, gapNumber: 0, windowEndMs: 0 } as const;
  const times = { receivedMs: row.receivedTsMs, takenAtMs };
  return makeFrame({ ...facts, ...times, replacedBy: replacedBy(row) }, 'row', position, publicRow(row));
}

export function gapFrame(gap: marketData.Gap, { epoch, ordinal, gapNumber }: NumberedGap): Frame {
  const position: StreamPosition = { epoch, ordinal, windowEndMs: 0, gapsSent: gapNumber, packetSent: false };
  const facts = { kind: 'gap', channel: channelOf(gap.channel), epoch, ordinal, gapNumber, windowEndMs: 0, receivedMs: 0 } as const;
  return makeFrame({ ...facts, takenAtMs: 0, replacedBy: null }, 'gap', position, [answerText(publicGap(gap))]);
}

/** Counts as received with the entry that closed its window. */
export function packetRow(record: labeling.PacketRecord): marketData.DataRow {
  return {
    channel: 'packets',
    sequence: record.closingOrdinal,
    epoch: record.closingEpoch,
    exchangeTsMs: record.windowEndMs,
    receivedTsMs: record.knownTsMs,
    flags: record.sourceKind === marketData.SourceKind.SIMULATED ? SYNTHETIC : 0,
    line: record.body,
    packetDigest: record.packetDigest,
    packetWindowEndMs: record.windowEndMs,
  };
}

export function packetPosition(record: Pick<labeling.PacketRecord, 'sequence' | 'windowEndMs'>): StreamPosition {
  return { epoch: 0, ordinal: record.sequence, windowEndMs: record.windowEndMs, gapsSent: 0, packetSent: false };
}

export function packetFrame(record: labeling.PacketRecord, view: PacketView): Frame {
  const { sequence, windowEndMs } = record;
  const facts = {
    kind: 'row',
    channel: 'packets',
    epoch: 0,
    ordinal: sequence,
    gapNumber: 0,
    windowEndMs,
    receivedMs: windowEndMs,
    takenAtMs: windowEndMs,
    replacedBy: null,
  } as const;
  return makeFrame(facts, 'packet', packetPosition(record), view === 'compact' ? compactData(record) : packetData(record));
}

/** The envelope depends on reader and time, but messages are rendered once for all, so they link to it. */
function metaOf({ symbol, sourceKind }: labeling.PacketRecord): Described<'StreamMeta'> {
  const kind = fromProtoSourceKind(sourceKind);
  const state = responseStateOf({ sourceKinds: [kind] });
  return {
    response_state: state === 'live' || state === 'synthetic' ? state : 'recorded_replay',
    synthetic: kind === 'simulated',
    claim_boundary: 'not_signal_not_advice_not_execution_not_performance',
    route: `/api/public/market-state/latest?symbol=${symbol}`,
  };
}

function compactData(record: labeling.PacketRecord): readonly string[] {
  const { event_id, packet_digest, lineage_digest, ...row } = toCompactRow(fromProtoPacket(record));
  return [answerText({ ...row, meta: metaOf(record), event_id, packet_digest, lineage_digest })];
}

/** Embeds the packet body unchanged. */
function packetData(record: labeling.PacketRecord): readonly (string | Uint8Array)[] {
  const head = {
    symbol: record.symbol,
    packet_id: record.packetId,
    event_id: record.eventId,
    sequence: record.sequence,
    window_end_utc: toUtc(record.windowEndMs),
    packet_generated_at_utc: toUtc(record.generatedTsMs),
    packet_source_lag_ms: record.sourceLagMs,
    packet_digest: record.packetDigest,
    lineage_digest: record.lineageDigest,
    signature: record.signature.length === 0 ? null : record.signature.toString('base64'),
    signing_key_id: record.signingKeyId === '' ? null : record.signingKeyId,
    headline: record.headline,
    meta: metaOf(record),
  };
  return [`${answerText(head).slice(0, -1)},"packet":`, record.body, '}'];
}

const channelNamed = documentedWord('StreamPlan', 'channels');

export function publicPlan(plan: marketData.ReplayPlan): Described<'StreamPlan'> {
  return {
    symbol: plan.symbol,
    venue: plan.venue,
    start_utc: toUtc(plan.startMs),
    end_utc: toUtc(plan.endMs),
    as_of_utc: toUtc(plan.asOfMs),
    channels: plan.channels.map(channelNamed),
    speed: plan.speed === 0 ? 'max' : String(plan.speed),
    rows_expected: plan.rowsExpected,
    gap_ids: plan.gapIds,
  };
}

const reasonNamed = documentedWord('Completeness', 'reasons');

export function publicReceipt(receipt: marketData.Completeness): Described<'Completeness'> {
  return {
    rows_expected: receipt.rowsExpected,
    rows_sent: receipt.rowsSent,
    gap_ids: receipt.gapIds,
    rows_sha256: receipt.rowsSha256,
    status: receipt.complete ? 'complete' : 'partial',
    reasons: receipt.reasons.map(reasonNamed),
  };
}
