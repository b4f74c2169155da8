import { createPublicKey, verify } from 'node:crypto';
import type { SignatureCheck } from './signature-check';

/** What stands before the 32 key bytes in the DER form (RFC 8410) of an Ed25519 public key. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Checks signatures of an Ed25519 public key. @throws Error when the bytes are no such key */
export function signatureCheck(publicKeyBytes: Uint8Array): SignatureCheck {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKeyBytes]), format: 'der', type: 'spki' });
  return (message, signature) => Promise.resolve(verify(null, message, key, signature));
}
