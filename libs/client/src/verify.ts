import { fromBase64, fromHex, sha256, sha256OfText, subtleCrypto, toCrockford, toHex } from './bytes';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * RFC 8785: members sorted by UTF-16 code units, numbers and strings as in ECMAScript, no white space. Omits undefined
 * members.
 * @throws TypeError for values without a JSON form: a non-finite number, a lone surrogate, a function
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON cannot represent the number ${value}`);
    return String(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new TypeError('a string contains a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON cannot represent a ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // JavaScript compares strings by code units.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

export interface ChainBreak {
  /** Zero-based row index. */
  readonly index: number;
  readonly eventId: string;
  readonly reason: string;
}

export interface ChainCheck {
  readonly ok: boolean;
  /** Packets before the first break, or all; without the last one if nothing protects its content. */
  readonly checkedTotal: number;
  /** Lineage digest of the last packet before the break, or of the last, in hex; null if there is none. */
  readonly lineageDigest: string | null;
  readonly firstBreak: ChainBreak | null;
}

/**
 * Packets of one symbol, oldest first: valid and consecutive, with none missing, changed or inserted. Stops at the
 * first break. Each packet's content is protected by the link of the next, or by its own row's digest or signature.
 */
export async function checkChain(rows: Iterable<PacketRow>, keys?: PublicKeys): Promise<ChainCheck> {
  let index = 0;
  let lineageDigest: string | null = null;
  let isLastChecked = true;
  for (const row of rows) {
    const { event_id: eventId, previous_lineage_digest: previous, symbol } = statedBy(row);
    const check = await examine(row, keys);
    const reason = check.faults[0] ?? (lineageDigest === null || previous === lineageDigest ? null : breakOf(symbol));
    const checkedTotal = isLastChecked ? index : index - 1;
    if (reason !== null) return { ok: false, checkedTotal, lineageDigest, firstBreak: { index, eventId, reason } };
    ({ lineageDigest } = check);
    isLastChecked = isProtected(check);
    index += 1;
  }
  return { ok: true, checkedTotal: isLastChecked ? index : index - 1, lineageDigest, firstBreak: null };
}

function breakOf(symbol: string): string {
  return `It does not follow the previous packet: a packet of ${symbol} is missing or was replaced.`;
}

/** Public key as listed in `/.well-known/market-state-keys.json`. */
export interface PublicKey {
  readonly kid: string;
  /** 32 bytes in base64url. */
  readonly x: string;
  readonly valid_from_utc: string;
  /** Null while the key is in use. */
  readonly valid_to_utc: string | null;
}

/** Key document, or its list of keys. */
export type PublicKeys = { readonly keys: readonly PublicKey[] } | readonly PublicKey[];

/** Row of `latest` or `replay`, stream message, or line of an export. */
export interface PacketRow {
  readonly packet: object;
  readonly packet_generated_at_utc?: string;
  readonly packet_digest?: string | null;
  readonly lineage_digest?: string | null;
  readonly signature?: string | null;
  readonly signing_key_id?: string | null;
  readonly packet_id?: string;
  readonly event_id?: string;
}

/** Null marks checks for which the row has no data. */
export interface PacketCheck {
  /** No check failed, and a digest or a signature of the row protects the packet's content. */
  readonly ok: boolean;
  /** SHA-256 of the packet as RFC 8785 JSON in hex, computed locally. */
  readonly packetDigest: string;
  /** SHA-256 of the previous lineage digest and the packet digest in hex, computed locally. */
  readonly lineageDigest: string;
  /** The row's digests match the computed ones. */
  readonly body: boolean | null;
  /** The signing key signed this digest. */
  readonly signature: boolean | null;
  /** The key was in use when the packet was made. */
  readonly keyValidity: boolean | null;
  /** The ids match market, window and digests. */
  readonly id: boolean;
  /** One per failed check. */
  readonly faults: readonly string[];
}

/** Packet fields that are checked. */
interface Stated {
  readonly symbol: string;
  /** The cursor is `rc1.<market>.<window end>`. */
  readonly replay?: { readonly cursor: string };
  readonly packet_id: string;
  readonly event_id: string;
  readonly policy_digest: string;
  readonly input_digest: string;
  readonly previous_lineage_digest: string;
  /** Window end. */
  readonly ts: string;
}

const ID_CHARACTERS = 26;

/**
 * Checks a packet offline: its digest, signature, key validity and ids. Fails for rows without digest and signature, as
 * those of `latest` and `replay`: check several with `checkChain`, or use stream messages or lines of an export.
 * @param keys from `ms.signingKeys.get()`; without them the signature is not checked
 * @throws TypeError if `row` has no packet
 */
export async function checkPacket(row: PacketRow, keys?: PublicKeys): Promise<PacketCheck> {
  const check = await examine(row, keys);
  return isProtected(check) ? check : { ...check, ok: false, faults: [...check.faults, UNPROTECTED] };
}

const UNPROTECTED = "Nothing protects the packet's content: the row has no digest, and no signature was checked.";

function isProtected({ body, signature }: PacketCheck): boolean {
  return body !== null || signature !== null;
}

async function examine(row: PacketRow, keys: PublicKeys | undefined): Promise<PacketCheck> {
  const packet = statedBy(row);
  const digest = await sha256OfText(canonicalJson(row.packet));
  const packetDigest = toHex(digest);
  const lineageDigest = toHex(await linkOf(packet.previous_lineage_digest, digest));
  const [body, id] = [sameDigests(row, packetDigest, lineageDigest), await hasOwnIds(row, packet)];
  const { signature, keyValidity, faults: ofSignature } = await signatureOf(row, digest, keys);
  const faults = [
    ...(body === false ? ['The packet does not match its digest: its content was changed.'] : []),
    ...ofSignature,
    ...(id ? [] : ['The ids of the packet do not match its content.']),
  ];
  return { ok: faults.length === 0, packetDigest, lineageDigest, body, signature, keyValidity, id, faults };
}

/** Link of the chain: 32 bytes. */
function linkOf(previousLineageDigest: string, packetDigest: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const previous = fromHex(previousLineageDigest);
  const both = new Uint8Array(previous.length + packetDigest.length);
  both.set(previous);
  both.set(packetDigest, previous.length);
  return sha256(both);
}

/** @throws TypeError if the row has no packet */
function statedBy({ packet }: PacketRow): Stated {
  const stated = packet as Partial<Stated> | undefined;
  const { symbol, ts, packet_id, policy_digest, input_digest, previous_lineage_digest } = stated ?? {};
  if (![symbol, ts, packet_id, policy_digest, input_digest, previous_lineage_digest].every((text) => typeof text === 'string'))
    throw new TypeError('The row has no complete packet. Compact packets cannot be checked; request view=packet.');
  return stated as Stated;
}

function sameDigests({ packet_digest, lineage_digest }: PacketRow, packetDigest: string, lineageDigest: string): boolean | null {
  if (typeof packet_digest !== 'string') return null;
  return packet_digest === packetDigest && (typeof lineage_digest !== 'string' || lineage_digest === lineageDigest);
}

async function hasOwnIds(row: PacketRow, packet: Stated): Promise<boolean> {
  const { symbol, replay, policy_digest, input_digest, previous_lineage_digest, ts } = packet;
  const named = [replay?.cursor.split('.')[1] ?? symbol, Date.parse(ts), policy_digest, input_digest, previous_lineage_digest];
  const identity = toCrockford(await sha256OfText(canonicalJson(named)), ID_CHARACTERS);
  const ids = [packet.packet_id, packet.event_id, row.packet_id ?? packet.packet_id, row.event_id ?? packet.event_id];
  return ids.every((id, at) => id === `${at % 2 === 0 ? 'pkt' : 'evt'}_${identity}`);
}

type SignatureCheck = Pick<PacketCheck, 'signature' | 'keyValidity' | 'faults'>;

/** Signature fields of a row or of a reference to a packet. */
export type Signed = Pick<PacketRow, 'signature' | 'signing_key_id' | 'packet_generated_at_utc'>;

/** Checks the signature of a packet digest (hex) without the packet. @param keys from `ms.signingKeys.get()` */
export function checkSignature(signed: Signed, packetDigest: string, keys: PublicKeys): Promise<SignatureCheck> {
  return signatureOf(signed, fromHex(packetDigest), keys);
}

async function signatureOf(row: Signed, digest: Uint8Array<ArrayBuffer>, keys: PublicKeys | undefined): Promise<SignatureCheck> {
  if (keys === undefined || typeof row.signature !== 'string') return { signature: null, keyValidity: null, faults: [] };
  const listed: readonly PublicKey[] = Array.isArray(keys) ? keys : (keys as { readonly keys: readonly PublicKey[] }).keys;
  const key = listed.find(({ kid }) => kid === row.signing_key_id);
  if (key === undefined)
    return { signature: false, keyValidity: null, faults: ['The key that signed the packet is not among the given keys.'] };
  const signature = await isSignedBy(key, digest, row.signature);
  const keyValidity = row.packet_generated_at_utc === undefined ? null : wasInUse(key, row.packet_generated_at_utc);
  return {
    signature,
    keyValidity,
    faults: [
      ...(signature ? [] : ['The signature of the packet is not valid for this key.']),
      ...(keyValidity === false ? ['The key was not in use when the packet was made.'] : []),
    ],
  };
}

async function isSignedBy({ kid, x }: PublicKey, digest: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean> {
  const bytes = fromBase64(x);
  // Key ids are digests of the key bytes, so a replaced key has a different id.
  if (kid !== `key_${toCrockford(await sha256(bytes), ID_CHARACTERS)}`) return false;
  const subtle = subtleCrypto();
  const key = await subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  return subtle.verify({ name: 'Ed25519' }, key, fromBase64(signature), digest);
}

function wasInUse({ valid_from_utc: from, valid_to_utc: to }: PublicKey, madeUtc: string): boolean {
  const made = Date.parse(madeUtc);
  return made >= Date.parse(from) && (to === null || made < Date.parse(to));
}
