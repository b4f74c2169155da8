import type { SourceKind } from '@market-state/market-data';
import type { PacketResult } from '../label/label-packet';
import { canonicalJson } from '../lineage/canonical-json';
import type { HexDigest } from '../lineage/digests';
import type { Packet } from '../packet/packet';
import { digestFields, idField, lineOf, lineReader, symbolField, windowEndField } from './line-fields';

export const PACKET_ROW_SCHEMA = 'market_state_packet_row.v1';

/** A line of NDJSON is the RFC 8785 form of this object; in memory, `symbol` is the key of a market. */
export interface PacketRow {
  readonly schema: typeof PACKET_ROW_SCHEMA;
  readonly symbol: string;
  readonly window_end_ms: number;
  readonly packet_id: string;
  readonly event_id: string;
  readonly input_digest: HexDigest;
  readonly policy_digest: HexDigest;
  /** 64 zeros for the first packet of a chain. */
  readonly previous_lineage_digest: HexDigest;
  /** SHA-256 of the RFC 8785 form of `packet`, unless either was altered. */
  readonly packet_digest: HexDigest;
  readonly lineage_digest: HexDigest;
  readonly source_kind: SourceKind;
  /** Ordinal of the tick that closed the window; null if unknown to the writer. */
  readonly closing_ordinal: number | null;
  readonly headline: string;
  readonly customer_next_step: string;
  /** Ed25519 over the 32 bytes of packet_digest, base64; null if unsigned. */
  readonly signature: string | null;
  readonly signing_key_id: string | null;
  readonly packet: Packet;
}

export interface RowSignature {
  readonly signature: string;
  readonly signingKeyId: string;
}

export function packetRowOf(result: PacketResult, signed?: RowSignature): PacketRow {
  return {
    schema: PACKET_ROW_SCHEMA,
    symbol: result.symbol,
    window_end_ms: result.windowEndMs,
    packet_id: result.packetId,
    event_id: result.eventId,
    input_digest: result.inputDigest,
    policy_digest: result.policyDigest,
    previous_lineage_digest: result.previousLineageDigest,
    packet_digest: result.packetDigest,
    lineage_digest: result.lineageDigest,
    source_kind: result.sourceKind,
    closing_ordinal: result.closingOrdinal,
    headline: result.headline,
    customer_next_step: result.customerNextStep,
    signature: signed?.signature ?? null,
    signing_key_id: signed?.signingKeyId ?? null,
    packet: result.packet,
  };
}

export function packetRowLine(row: PacketRow): string {
  return canonicalJson(lineOf(row));
}

/** Reuses the packet's serialized body. */
export function packetResultLine(result: PacketResult, signed?: RowSignature): string {
  const fields = Object.entries(lineOf(packetRowOf(result, signed)));
  const before = canonicalJson(Object.fromEntries(fields.filter(([name]) => name < 'packet')));
  const after = canonicalJson(Object.fromEntries(fields.filter(([name]) => name > 'packet')));
  return `${before.slice(0, -1)},"packet":${result.body},${after.slice(1)}`;
}

/**
 * Parses a packet row, without verifying digests.
 * @throws LineError with every fault
 */
export const readPacketRow = lineReader<PacketRow>(PACKET_ROW_SCHEMA, (fields) => {
  symbolField(fields);
  windowEndField(fields);
  idField(fields, 'packet_id', 'pkt');
  idField(fields, 'event_id', 'evt');
  digestFields(fields, 'input_digest', 'policy_digest', 'previous_lineage_digest', 'packet_digest', 'lineage_digest');
  fields.oneOf<SourceKind>('source_kind', ['live', 'recorded', 'simulated']);
  fields.orNull('closing_ordinal', (name) => fields.integer(name, 1));
  fields.text('headline');
  fields.text('customer_next_step');
  fields.orNull('signature', (name) => fields.matching(name, /^[A-Za-z0-9+/]{85}[AQgw]==$/, '64 bytes in base64'));
  fields.orNull('signing_key_id', (name) => idField(fields, name, 'key'));
  const packet = fields.nested('packet');
  if (packet !== undefined && packet['packet_type'] !== 'market_state.v1')
    fields.fault('packet', 'must have packet_type market_state.v1', null);
});
