import { deflateSync, inflateSync } from 'node:zlib';
import type { EntryId } from '@market-state/event-log';
import type { SourceKind } from '@market-state/market-data';
import type { CopyValue } from '@market-state/postgres';
import type { LabelledPacket, PacketSignature, StoredPacket } from '../packets/packet';
import firstBody from '../packets/packed/body-1.json';

/** Columns of an archive file, and of table `packet`, which stores bodies compressed. */
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

export const PACKET_TABLE_COLUMNS = [...PACKET_COLUMNS, 'packed_body'] as const;

export type IntegerColumn = 'window_end_ms' | 'sequence' | 'generated_ts_ms' | 'source_lag_ms' | 'known_ts_ms';
export type TextColumn = Exclude<
  (typeof PACKET_COLUMNS)[number],
  IntegerColumn | 'body' | 'source_kind' | keyof SignatureColumns | keyof ClosingColumns
>;

/** The driver returns 64-bit integers as text, archive files as numbers. */
export type PacketRow = Readonly<Record<TextColumn, string>> &
  Readonly<Record<IntegerColumn, string | number>> &
  SignatureColumns &
  ClosingColumns &
  BodyColumns & { readonly source_kind: SourceKind };

/** Bodies are text in files, and in rows older than compression. */
export interface BodyColumns {
  readonly body: string | null;
  readonly packed_body?: Buffer | null;
}

export function fromBodyColumns({ body, packed_body: packed }: BodyColumns): string {
  if (body !== null) return body;
  if (packed === null || packed === undefined) throw new Error('A stored packet has no body.');
  return unpackBody(packed);
}

interface ClosingColumns {
  readonly closing_epoch: number | null;
  readonly closing_ordinal: string | number | null;
}

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

/** Shortest zlib data with a dictionary: header, DICTID, empty block, checksum. */
const PACKED_BYTES_MIN = 12;
const BODY_BYTES_MAX = 4 * 1_024 * 1_024;
/** zlib's default; 9 takes twice the time and saves one percent. */
const LEVEL = 6;

/** Zlib data (RFC 1950) with a preset dictionary named in its header. */
export function packBody(body: string): Buffer {
  return deflateSync(body, { level: LEVEL, dictionary: newestDictionary.bytes });
}

/** @throws {Error} if the bytes are damaged, or name an unknown dictionary */
export function unpackBody(packed: Uint8Array): string {
  if (packed.length < PACKED_BYTES_MIN) throw new Error(`A packed body of ${packed.length} bytes is cut short.`);
  const id = dictionaryIdOf(packed);
  const dictionary = dictionaries.get(id);
  if (dictionary === undefined) throw new Error(`A packed body names dictionary ${id}, which this release does not have.`);
  return inflateSync(packed, { dictionary, maxOutputLength: BODY_BYTES_MAX }).toString('utf8');
}

interface Dictionary {
  /** Adler-32 of its bytes, as named in a packed body (RFC 1950, DICTID). */
  readonly id: number;
  readonly bytes: Buffer;
}

const ID_AT = 2;

function dictionaryIdOf(packed: Uint8Array): number {
  return Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).readUInt32BE(ID_AT);
}

function dictionaryOf(body: unknown): Dictionary {
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  return { id: dictionaryIdOf(deflateSync('', { dictionary: bytes })), bytes };
}

export const newestDictionary = dictionaryOf(firstBody);

/** Keyed by id. Never change or remove one. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([[newestDictionary.id, newestDictionary.bytes]]);
