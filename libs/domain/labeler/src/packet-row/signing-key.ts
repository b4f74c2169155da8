import { signatureCheck } from '#ed25519';
import { crockford, fromBase64, fromHex, toBase64 } from '@market-state/market-data';
import type { SignatureCheck } from '../ed25519/signature-check';
import { canonicalJson } from '../lineage/canonical-json';
import { sha256Hex, type HexDigest } from '../lineage/digests';
import { idField, lineReader, LineError } from './line-fields';

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
