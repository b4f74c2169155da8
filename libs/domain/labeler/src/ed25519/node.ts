import { createPublicKey, verify } from 'node:crypto';
import type { SignatureCheck } from './browser';

/** DER prefix (RFC 8410) of the 32 key bytes. */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export function signatureCheck(publicKeyBytes: Uint8Array): SignatureCheck {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKeyBytes]), format: 'der', type: 'spki' });
  return (message, signature) => Promise.resolve(verify(null, message, key, signature));
}
