import { fromBase64, fromHex, sha256, sha256OfText, subtleCrypto, toCrockford, toHex } from './bytes';

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * A JSON value as RFC 8785 text: members in the order of their names' UTF-16 code units, numbers and strings as ECMAScript writes them,
 * no white space. A member whose value is undefined is left out.
 * @throws TypeError on what JSON does not know: a number that is not finite, a lone surrogate, a function
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`JSON has no number ${value}`);
    return String(value);
  }
  if (typeof value === 'string') {
    if (LONE_SURROGATE.test(value)) throw new TypeError('a string holds a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON has no ${typeof value}`);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // The order of JavaScript's own comparison is that of code units.
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${canonicalJson(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Where a chain is broken. */
export interface ChainBreak {
  /** Place of the row, from 0. */
  readonly index: number;
  readonly eventId: string;
  /** What is wrong there, in one sentence. */
  readonly reason: string;
}

/** What was found of packets in a row. */
export interface ChainCheck {
  readonly ok: boolean;
  /** Packets before the first break, or all. */
  readonly checkedTotal: number;
  /** Lineage digest of the last of them, hex; null where there is none. */
  readonly lineageDigest: string | null;
  readonly firstBreak: ChainBreak | null;
}

/**
 * Checks that packets of one symbol, oldest first, are each what they say and follow on one another without one missing, changed or put
 * between. Stops at the first break, and names it.
 */
export async function checkChain(rows: Iterable<PacketRow>, keys?: PublicKeys): Promise<ChainCheck> {
  let index = 0;
  let lineageDigest: string | null = null;
  for (const row of rows) {
    const { event_id: eventId, previous_lineage_digest: previous, symbol } = statedBy(row);
    const check = await checkPacket(row, keys);
    const reason = check.faults[0] ?? (lineageDigest === null || previous === lineageDigest ? null : breakOf(symbol));
    if (reason !== null) return { ok: false, checkedTotal: index, lineageDigest, firstBreak: { index, eventId, reason } };
    ({ lineageDigest } = check);
    index += 1;
  }
  return { ok: true, checkedTotal: index, lineageDigest, firstBreak: null };
}

function breakOf(symbol: string): string {
  return `It does not follow on the packet before it: a packet of ${symbol} is missing, or another was put in its place.`;
}

/** A public key as `/.well-known/market-state-keys.json` lists it. */
export interface PublicKey {
  readonly kid: string;
  /** The 32 bytes of the key, base64url. */
  readonly x: string;
  readonly valid_from_utc: string;
  /** Null while it signs. */
  readonly valid_to_utc: string | null;
}

/** That list, or the keys of it. */
export type PublicKeys = { readonly keys: readonly PublicKey[] } | readonly PublicKey[];

/** A packet with what stands around it: a row of `latest` or `replay`, a message of the stream, a line of an export. */
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

/** What was found of a packet. `null` stands where the row does not say what it takes to check it. */
export interface PacketCheck {
  /** Whether nothing that was checked is wrong. */
  readonly ok: boolean;
  /** SHA-256 of the packet as RFC 8785 JSON, hex, computed here. */
  readonly packetDigest: string;
  /** SHA-256 of the previous lineage digest and the packet's, hex, computed here. */
  readonly lineageDigest: string;
  /** Whether the digests that the row states are these. */
  readonly body: boolean | null;
  /** Whether the packet's maker signed this digest. */
  readonly signature: boolean | null;
  /** Whether the key was in use when the packet was made. */
  readonly keyValidity: boolean | null;
  /** Whether the ids follow from symbol, window and digests. */
  readonly id: boolean;
  /** One sentence for each check that failed. */
  readonly faults: readonly string[];
}

/** What a packet says of itself that is checked. */
interface Stated {
  readonly symbol: string;
  readonly packet_id: string;
  readonly event_id: string;
  readonly policy_digest: string;
  readonly input_digest: string;
  readonly previous_lineage_digest: string;
  /** End of its window. */
  readonly ts: string;
}

const ID_CHARACTERS = 26;

/**
 * Checks a packet without asking anyone: that its bytes are those of its digest, that the digest is signed, that the key was in use
 * then, and that its ids follow from its content.
 * @param keys of `ms.signingKeys.get()`; without them a signature is not checked
 * @throws TypeError when `row` holds no packet
 */
export async function checkPacket(row: PacketRow, keys?: PublicKeys): Promise<PacketCheck> {
  const packet = statedBy(row);
  const digest = await sha256OfText(canonicalJson(row.packet));
  const packetDigest = toHex(digest);
  const lineageDigest = toHex(await linkOf(packet.previous_lineage_digest, digest));
  const [body, id] = [sameDigests(row, packetDigest, lineageDigest), await hasOwnIds(row, packet)];
  const { signature, keyValidity, faults: ofSignature } = await signatureOf(row, digest, keys);
  const faults = [
    ...(body === false ? ['The packet is not the one of its digest: its content was changed.'] : []),
    ...ofSignature,
    ...(id ? [] : ['The ids of the packet do not follow from its content.']),
  ];
  return { ok: faults.length === 0, packetDigest, lineageDigest, body, signature, keyValidity, id, faults };
}

/** The 32 bytes that chain a packet to those before it. */
function linkOf(previousLineageDigest: string, packetDigest: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const previous = fromHex(previousLineageDigest);
  const both = new Uint8Array(previous.length + packetDigest.length);
  both.set(previous);
  both.set(packetDigest, previous.length);
  return sha256(both);
}

/** @throws TypeError when the row holds no packet */
function statedBy({ packet }: PacketRow): Stated {
  const stated = packet as Partial<Stated> | undefined;
  const { symbol, ts, packet_id, policy_digest, input_digest, previous_lineage_digest } = stated ?? {};
  if (![symbol, ts, packet_id, policy_digest, input_digest, previous_lineage_digest].every((text) => typeof text === 'string'))
    throw new TypeError('The row holds no packet. A compact one cannot be checked: ask for view=packet.');
  return stated as Stated;
}

function sameDigests({ packet_digest, lineage_digest }: PacketRow, packetDigest: string, lineageDigest: string): boolean | null {
  if (typeof packet_digest !== 'string') return null;
  return packet_digest === packetDigest && (typeof lineage_digest !== 'string' || lineage_digest === lineageDigest);
}

async function hasOwnIds(row: PacketRow, packet: Stated): Promise<boolean> {
  const { symbol, policy_digest, input_digest, previous_lineage_digest, ts } = packet;
  const named = [symbol, Date.parse(ts), policy_digest, input_digest, previous_lineage_digest];
  const identity = toCrockford(await sha256OfText(canonicalJson(named)), ID_CHARACTERS);
  const ids = [packet.packet_id, packet.event_id, row.packet_id ?? packet.packet_id, row.event_id ?? packet.event_id];
  return ids.every((id, at) => id === `${at % 2 === 0 ? 'pkt' : 'evt'}_${identity}`);
}

type SignatureCheck = Pick<PacketCheck, 'signature' | 'keyValidity' | 'faults'>;

/** Who signed a packet, as its row or a reference to it says. */
export type Signed = Pick<PacketRow, 'signature' | 'signing_key_id' | 'packet_generated_at_utc'>;

/** Checks the signature of a packet's digest, hex, without the packet. @param keys of `ms.signingKeys.get()` */
export function checkSignature(signed: Signed, packetDigest: string, keys: PublicKeys): Promise<SignatureCheck> {
  return signatureOf(signed, fromHex(packetDigest), keys);
}

async function signatureOf(row: Signed, digest: Uint8Array<ArrayBuffer>, keys: PublicKeys | undefined): Promise<SignatureCheck> {
  if (keys === undefined || typeof row.signature !== 'string') return { signature: null, keyValidity: null, faults: [] };
  const listed: readonly PublicKey[] = Array.isArray(keys) ? keys : (keys as { readonly keys: readonly PublicKey[] }).keys;
  const key = listed.find(({ kid }) => kid === row.signing_key_id);
  if (key === undefined)
    return { signature: false, keyValidity: null, faults: ['The key that signed the packet is not among those given.'] };
  const signature = await isSignedBy(key, digest, row.signature);
  const keyValidity = row.packet_generated_at_utc === undefined ? null : wasInUse(key, row.packet_generated_at_utc);
  return {
    signature,
    keyValidity,
    faults: [
      ...(signature ? [] : ['The signature is not of this packet by this key.']),
      ...(keyValidity === false ? ['The key was not in use when the packet was made.'] : []),
    ],
  };
}

async function isSignedBy({ kid, x }: PublicKey, digest: Uint8Array<ArrayBuffer>, signature: string): Promise<boolean> {
  const bytes = fromBase64(x);
  // A key goes by the digest of its bytes: one that was put in its place has another id.
  if (kid !== `key_${toCrockford(await sha256(bytes), ID_CHARACTERS)}`) return false;
  const subtle = subtleCrypto();
  const key = await subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  return subtle.verify({ name: 'Ed25519' }, key, fromBase64(signature), digest);
}

function wasInUse({ valid_from_utc: from, valid_to_utc: to }: PublicKey, madeUtc: string): boolean {
  const made = Date.parse(madeUtc);
  return made >= Date.parse(from) && (to === null || made < Date.parse(to));
}
