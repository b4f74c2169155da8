import { hashes, verify } from '@noble/ed25519';
import { sha512 } from '@noble/hashes/sha2.js';

/** Verifies a 64-byte signature over a message. */
export type SignatureCheck = (message: Uint8Array<ArrayBuffer>, signature: Uint8Array<ArrayBuffer>) => Promise<boolean>;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Verifier for an Ed25519 public key.
 * @throws Error if the bytes are not such a key
 */
export function signatureCheck(publicKeyBytes: Uint8Array): SignatureCheck {
  if (publicKeyBytes.length !== KEY_BYTES) throw new Error(`an Ed25519 public key has ${KEY_BYTES} bytes, not ${publicKeyBytes.length}`);
  const keyBytes = Uint8Array.from(publicKeyBytes);
  const imported = importKey(keyBytes);
  return async (message, signature) => {
    if (signature.length !== SIGNATURE_BYTES) return false;
    const key = await imported;
    if (key !== undefined) return key.subtle.verify({ name: 'Ed25519' }, key.key, signature, message);
    hashes.sha512 = sha512;
    return verify(signature, message, keyBytes, { zip215: false });
  };
}

/** WebCrypto key; undefined if WebCrypto is missing (pages over plain http), lacks Ed25519 or rejects the key. */
async function importKey(bytes: Uint8Array<ArrayBuffer>) {
  const { subtle } = globalThis.crypto as { readonly subtle?: typeof globalThis.crypto.subtle };
  if (subtle === undefined) return undefined;
  const key = await subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']).catch(() => undefined);
  return key === undefined ? undefined : { subtle, key };
}
