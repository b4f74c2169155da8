import { signatureCheck } from '#ed25519';
import { crockford, fromBase64, fromHex, toBase64 } from '@market-state/market-data';
import type { SignatureCheck } from '../ed25519/signature-check';
import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import { idField, lineReader, LineError } from './line-fields';

/** The `schema` of a signing key's line. */
export const SIGNING_KEY_SCHEMA = 'market_state_signing_key.v1';

/** A public key that packets are signed with, as a line of NDJSON (RFC 8785 form) holds it. */
interface SigningKeyLine {
  readonly schema: typeof SIGNING_KEY_SCHEMA;
  readonly key_id: string;
  /** The 32 bytes of the Ed25519 public key, base64. */
  readonly public_key: string;
}

/** A key by its id, ready to check signatures. */
export interface SigningKey {
  readonly keyId: string;
  /** The 32 bytes of the Ed25519 public key. */
  readonly publicKeyBytes: Uint8Array;
  readonly isSignature: SignatureCheck;
}

const KEY_ID_CHARACTERS = 26;

/** `key_` and the first 26 Crockford base32 characters, lower case, of the SHA-256 of the 32 key bytes. */
export function signingKeyId(publicKeyBytes: Uint8Array): string {
  return `key_${crockford(fromHex(sha256Hex(publicKeyBytes)), KEY_ID_CHARACTERS)}`;
}

/** The key of its 32 bytes. @throws Error when they are no Ed25519 public key */
export function signingKeyOf(publicKeyBytes: Uint8Array): SigningKey {
  return { keyId: signingKeyId(publicKeyBytes), publicKeyBytes, isSignature: signatureCheck(publicKeyBytes) };
}

/** The line of a key, without the line's end. */
export function signingKeyLine({ keyId, publicKeyBytes }: SigningKey): string {
  const line: SigningKeyLine = { schema: SIGNING_KEY_SCHEMA, key_id: keyId, public_key: toBase64(publicKeyBytes) };
  return canonicalJson(line);
}

const readLine = lineReader<SigningKeyLine>(SIGNING_KEY_SCHEMA, (fields) => {
  idField(fields, 'key_id', 'key');
  fields.matching('public_key', /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, '32 bytes in base64');
});

/** The key that a line's JSON holds. @throws LineError naming every fault, also when the id is not that of the key */
export function readSigningKeyLine(json: unknown): SigningKey {
  const { key_id: keyId, public_key: publicKey } = readLine(json);
  const key = signingKeyOf(fromBase64(publicKey) ?? new Uint8Array());
  if (key.keyId !== keyId) throw new LineError(SIGNING_KEY_SCHEMA, [`key_id is not that of the key, which is ${key.keyId}`]);
  return key;
}

/** Whether the signature (base64) is the key's over the 32 bytes of the packet digest. */
export async function isSignedBy(key: SigningKey, packetDigest: HexDigest, signature: string): Promise<boolean> {
  const bytes = fromBase64(signature);
  return bytes !== undefined && key.isSignature(fromHex(packetDigest), bytes);
}
