import {
  marketFields,
  RowFields,
  SECONDARY_MARKET_FORM,
  SYMBOL_FORM,
  type SourceKind,
  crockford,
  fromBase64,
  fromHex,
  toBase64,
} from '@market-state/market-data';
import { signatureCheck, type SignatureCheck } from '#ed25519';
import type { PacketResult } from '../label/label-packet';
import { canonicalJson, type HexDigest, sha256Hex } from '../lineage';
import type { Packet } from '../packet/packet';

/** `faults` lists every violation of the line's schema. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly faults: readonly string[];

  constructor(schema: string, faults: readonly string[]) {
    super(`not a ${schema}: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

const WINDOW_MS = 10_000;
const IDS = {
  pkt: /^pkt_[0-9a-hjkmnp-tv-z]{26}$/,
  evt: /^evt_[0-9a-hjkmnp-tv-z]{26}$/,
  key: /^key_[0-9a-hjkmnp-tv-z]{26}$/,
};

/**
 * `check` must read every field. The parser throws a LineError with every fault. The `symbol` of what it returns is the
 * key of a market; the line has `symbol` and, away from the symbol's primary venue, `market`.
 */
function lineReader<T>(schema: string, check: (fields: RowFields) => void): (json: unknown) => T {
  return (json) => {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new LineError(schema, ['it must be an object']);
    const faults: string[] = [];
    const fields = new RowFields(json as Readonly<Record<string, unknown>>, faults);
    if (fields.value('schema') !== schema) fields.fault('schema', `must be ${schema}`, '');
    check(fields);
    fields.end();
    if (faults.length > 0) throw new LineError(schema, faults);
    const { market, ...named } = json as Readonly<Record<string, unknown>>;
    return (market === undefined ? json : { ...named, symbol: market }) as T;
  };
}

/** Inverse of the reader: the fields of a line by which it names a market. */
function lineOf<T extends { readonly symbol: string }>(read: T): object {
  return { ...read, ...marketFields(read.symbol) };
}

function symbolField(fields: RowFields): void {
  fields.matching('symbol', SYMBOL_FORM, 'of the form <BASE>USD-PERP');
  fields.optionalMatching('market', SECONDARY_MARKET_FORM, 'of the form <BASE>USD-PERP@<venue>');
}

function windowEndField(fields: RowFields): void {
  const windowEndMs = fields.integer('window_end_ms');
  if (windowEndMs % WINDOW_MS !== 0) fields.fault('window_end_ms', `must be a multiple of ${WINDOW_MS}`, 0);
}

function digestFields(fields: RowFields, ...names: readonly string[]): void {
  for (const name of names) fields.matching(name, /^[0-9a-f]{64}$/, '64 lower-case hex characters');
}

function idField(fields: RowFields, name: string, prefix: keyof typeof IDS): void {
  fields.matching(name, IDS[prefix], `${prefix}_ and 26 Crockford base32 characters`);
}

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

export const CHECKPOINT_SCHEMA = 'market_state_checkpoint.v1';

const EPOCH_MAX = 4_294_967_295;

/** Labeler state right after one log entry, as a line of NDJSON (RFC 8785); in memory, `symbol` is the key of a market. */
export interface CheckpointLine {
  readonly schema: typeof CHECKPOINT_SCHEMA;
  readonly symbol: string;
  readonly window_end_ms: number;
  readonly epoch: number;
  /** Last log entry included in the state. */
  readonly ordinal: number;
  readonly lineage_digest: HexDigest;
  readonly policy_digest: HexDigest;
  /** SHA-256 of the state's bytes before compression. */
  readonly state_digest: HexDigest;
  /** State bytes, gzip, base64. */
  readonly state: string;
}

export function checkpointLine(checkpoint: CheckpointLine): string {
  return canonicalJson(lineOf(checkpoint));
}

/**
 * Parses a checkpoint line, without verifying digests.
 * @throws LineError with every fault
 */
export const readCheckpointLine = lineReader<CheckpointLine>(CHECKPOINT_SCHEMA, (fields) => {
  symbolField(fields);
  windowEndField(fields);
  if (fields.integer('epoch') > EPOCH_MAX) fields.fault('epoch', `must be at most ${EPOCH_MAX}`, 0);
  fields.integer('ordinal', 1);
  digestFields(fields, 'lineage_digest', 'policy_digest', 'state_digest');
  fields.matching('state', /^[A-Za-z0-9+/]+={0,2}$/, 'base64');
});

export const SIGNING_KEY_SCHEMA = 'market_state_signing_key.v1';

interface SigningKeyLine {
  readonly schema: typeof SIGNING_KEY_SCHEMA;
  readonly key_id: string;
  /** Raw 32 bytes of the Ed25519 public key, base64. */
  readonly public_key: string;
}

export interface SigningKey {
  readonly keyId: string;
  /** Raw 32 bytes of the Ed25519 public key. */
  readonly publicKeyBytes: Uint8Array;
  readonly isSignature: SignatureCheck;
}

const KEY_ID_CHARACTERS = 26;

/** Key id: `key_` and the first 26 Crockford base32 characters, lower case, of the SHA-256 of the 32 key bytes. */
export function signingKeyId(publicKeyBytes: Uint8Array): string {
  return `key_${crockford(fromHex(sha256Hex(publicKeyBytes)), KEY_ID_CHARACTERS)}`;
}

export function signingKeyOf(publicKeyBytes: Uint8Array): SigningKey {
  return { keyId: signingKeyId(publicKeyBytes), publicKeyBytes, isSignature: signatureCheck(publicKeyBytes) };
}

export function signingKeyLine({ keyId, publicKeyBytes }: SigningKey): string {
  const line: SigningKeyLine = { schema: SIGNING_KEY_SCHEMA, key_id: keyId, public_key: toBase64(publicKeyBytes) };
  return canonicalJson(line);
}

const readLine = lineReader<SigningKeyLine>(SIGNING_KEY_SCHEMA, (fields) => {
  idField(fields, 'key_id', 'key');
  fields.matching('public_key', /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, '32 bytes in base64');
});

/**
 * Parses a key line.
 * @throws LineError with every fault, including a wrong id
 */
export function readSigningKeyLine(json: unknown): SigningKey {
  const { key_id: keyId, public_key: publicKey } = readLine(json);
  const key = signingKeyOf(fromBase64(publicKey) ?? new Uint8Array());
  if (key.keyId !== keyId) throw new LineError(SIGNING_KEY_SCHEMA, [`key_id does not match the key, whose id is ${key.keyId}`]);
  return key;
}

/** Verifies a base64 signature over the 32 bytes of the packet digest. */
export async function isSignedBy(key: SigningKey, packetDigest: HexDigest, signature: string): Promise<boolean> {
  const bytes = fromBase64(signature);
  return bytes !== undefined && key.isSignature(fromHex(packetDigest), bytes);
}
