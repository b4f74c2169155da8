import type { EntryId } from '@market-state/event-log';
import type { SourceKind } from '@market-state/market-data';
import type { CopyValue } from '@market-state/postgres';
import type { LabelledPacket, PacketSignature, StoredPacket } from '../packets/packet';
import { packBody, unpackBody } from '../packets/packed-body';

/** What is kept of a packet: columns of a file of the archive, and of table `packet`, where a body is packed. */
export const PACKET_COLUMNS = [
  'symbol',
  'window_end_ms',
  'sequence',
  'packet_id',
  'event_id',
  'body',
  'packet_digest',
  'lineage_digest',
  'input_digest',
  'policy_digest',
  'generated_ts_ms',
  'source_lag_ms',
  'headline',
  'customer_next_step',
  'source_kind',
  'signature',
  'signing_key_id',
  'closing_epoch',
  'closing_ordinal',
  'known_ts_ms',
] as const;

/** Columns of table `packet` that a packet is read from. */
export const PACKET_TABLE_COLUMNS = [...PACKET_COLUMNS, 'packed_body'] as const;

/** Columns of whole numbers that every packet has. */
export type IntegerColumn = 'window_end_ms' | 'sequence' | 'generated_ts_ms' | 'source_lag_ms' | 'known_ts_ms';
/** Columns of text that every packet has. */
export type TextColumn = Exclude<
  (typeof PACKET_COLUMNS)[number],
  IntegerColumn | 'body' | 'source_kind' | keyof SignatureColumns | keyof ClosingColumns
>;

/** A row as it is read: the driver gives 64 bit integers as text, a file of the archive as numbers. */
export type PacketRow = Readonly<Record<TextColumn, string>> &
  Readonly<Record<IntegerColumn, string | number>> &
  SignatureColumns &
  ClosingColumns &
  BodyColumns & { readonly source_kind: SourceKind };

/** A packet's body: packed, or as text in a file and where it was stored before bodies were packed. */
export interface BodyColumns {
  readonly body: string | null;
  readonly packed_body?: Buffer | null;
}

/** @throws {Error} where neither is there, or what is packed is damaged */
export function fromBodyColumns({ body, packed_body: packed }: BodyColumns): string {
  if (body !== null) return body;
  if (packed === null || packed === undefined) throw new Error('A stored packet has no body.');
  return unpackBody(packed);
}

/** The entry that closed a packet's window. */
interface ClosingColumns {
  readonly closing_epoch: number | null;
  readonly closing_ordinal: string | number | null;
}

/** A packet's signature in its two columns. */
export interface SignatureColumns {
  readonly signature: Buffer | null;
  readonly signing_key_id: string | null;
}

export function fromSignatureColumns({ signature, signing_key_id: keyId }: SignatureColumns): PacketSignature | null {
  return signature === null || keyId === null ? null : { bytes: signature, keyId };
}

function fromClosingColumns({ closing_epoch: epoch, closing_ordinal: ordinal }: ClosingColumns): EntryId | null {
  return epoch === null || ordinal === null ? null : { epoch, ordinal: Number(ordinal) };
}

/** Columns of a packet that is written, in the order of `toNewPacketRow`. */
export const NEW_PACKET_COLUMNS = [...PACKET_COLUMNS.map((name) => (name === 'body' ? 'packed_body' : name)), 'brief'] as const;

export function toNewPacketRow(packet: StoredPacket & Pick<LabelledPacket, 'brief'>): readonly CopyValue[] {
  return [
    packet.symbol,
    packet.windowEndMs,
    packet.sequence,
    packet.packetId,
    packet.eventId,
    packBody(packet.body),
    packet.packetDigest,
    packet.lineageDigest,
    packet.inputDigest,
    packet.policyDigest,
    packet.generatedTsMs,
    packet.sourceLagMs,
    packet.headline,
    packet.customerNextStep,
    packet.sourceKind,
    packet.signature?.bytes ?? null,
    packet.signature?.keyId ?? null,
    packet.closing?.epoch ?? null,
    packet.closing?.ordinal ?? null,
    packet.knownTsMs,
    packet.brief,
  ];
}

export function fromPacketRow(row: PacketRow): StoredPacket {
  return {
    symbol: row.symbol,
    windowEndMs: Number(row.window_end_ms),
    sequence: Number(row.sequence),
    packetId: row.packet_id,
    eventId: row.event_id,
    body: fromBodyColumns(row),
    packetDigest: row.packet_digest,
    lineageDigest: row.lineage_digest,
    inputDigest: row.input_digest,
    policyDigest: row.policy_digest,
    generatedTsMs: Number(row.generated_ts_ms),
    sourceLagMs: Number(row.source_lag_ms),
    headline: row.headline,
    customerNextStep: row.customer_next_step,
    sourceKind: row.source_kind,
    signature: fromSignatureColumns(row),
    closing: fromClosingColumns(row),
    knownTsMs: Number(row.known_ts_ms),
  };
}
