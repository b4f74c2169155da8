import { createPublicKey, type KeyObject } from 'node:crypto';
import { type SigningKey, signingKeyOf } from '../packet-row/lines';

const KEY_BYTES = 32;

/**
 * Reads a public key (SPKI PEM), or the public half of a private key (PKCS #8 PEM).
 * @throws Error if it is not an Ed25519 key
 */
export function signingKeyOfPem(pem: string): SigningKey {
  const publicKey = createPublicKey(pem);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error(`the key is ${String(publicKey.asymmetricKeyType)}, not Ed25519`);
  return signingKeyOf(publicKeyBytesOf(publicKey));
}

export function publicKeyBytesOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
