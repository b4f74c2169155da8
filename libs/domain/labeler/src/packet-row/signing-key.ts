import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import schema from '../../schemas/market-state-signing-key.v1.schema.json';
import { canonicalJson } from '../lineage/canonical-json';
import { crockford, sha256Hex, type HexDigest } from '../lineage/digests';
import { lineReader } from './line-schema';
import { LineError } from './line-error';

/** The `schema` of a signing key's line. */
export const SIGNING_KEY_SCHEMA = 'market_state_signing_key.v1';

/** A public key that packets are signed with, as a line of NDJSON (RFC 8785 form) holds it. */
export interface SigningKeyLine {
  readonly schema: typeof SIGNING_KEY_SCHEMA;
  readonly key_id: string;
  /** The 32 bytes of the Ed25519 public key, base64. */
  readonly public_key: string;
}

/** A key by its id, ready to check signatures. */
export interface SigningKey {
  readonly keyId: string;
  readonly publicKey: KeyObject;
}

const KEY_ID_CHARACTERS = 26;
/** What stands before the 32 key bytes in the DER form (RFC 8410) of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** `key_` and the first 26 Crockford base32 characters, lower case, of the SHA-256 of the 32 key bytes. */
export function signingKeyId(publicKeyBytes: Uint8Array): string {
  return `key_${crockford(Buffer.from(sha256Hex(publicKeyBytes), 'hex'), KEY_ID_CHARACTERS)}`;
}

/** The key of its 32 bytes. @throws Error when they are no Ed25519 public key */
export function signingKeyOf(publicKeyBytes: Uint8Array): SigningKey {
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKeyBytes]), format: 'der', type: 'spki' });
  return { keyId: signingKeyId(publicKeyBytes), publicKey };
}

/** The key of a PEM text: a public key (SPKI), or the private one (PKCS #8) it belongs to. @throws Error when it holds no Ed25519 key */
export function signingKeyOfPem(pem: string): SigningKey {
  const publicKey = createPublicKey(pem);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error(`the key is ${String(publicKey.asymmetricKeyType)}, not Ed25519`);
  return { keyId: signingKeyId(publicKeyBytesOf(publicKey)), publicKey };
}

/** The line of a key, without the line's end. */
export function signingKeyLine({ keyId, publicKey }: SigningKey): string {
  const line: SigningKeyLine = { schema: SIGNING_KEY_SCHEMA, key_id: keyId, public_key: publicKeyBytesOf(publicKey).toString('base64') };
  return canonicalJson(line);
}

const readLine = lineReader<SigningKeyLine>(schema);

/** The key that a line's JSON holds. @throws LineError naming every fault, also when the id is not that of the key */
export function readSigningKeyLine(json: unknown): SigningKey {
  const { key_id: keyId, public_key: publicKey } = readLine(json);
  const key = signingKeyOf(Buffer.from(publicKey, 'base64'));
  if (key.keyId !== keyId) throw new LineError(SIGNING_KEY_SCHEMA, [`key_id is not that of the key, which is ${key.keyId}`]);
  return key;
}

/** Whether the signature (base64) is the key's over the 32 bytes of the packet digest. */
export function isSignedBy(key: SigningKey, packetDigest: HexDigest, signature: string): boolean {
  return verify(null, Buffer.from(packetDigest, 'hex'), key.publicKey, Buffer.from(signature, 'base64'));
}

/** The 32 bytes of an Ed25519 public key. */
export function publicKeyBytesOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(SPKI_PREFIX.length);
}
