import { createPublicKey, type KeyObject } from 'node:crypto';
import { type SigningKey, signingKeyOf } from './signing-key';

/** Bytes of an Ed25519 public key, the last of its DER form. */
const KEY_BYTES = 32;

/** The key of a PEM text: a public key (SPKI), or the private one (PKCS #8) it belongs to. @throws Error when it holds no Ed25519 key */
export function signingKeyOfPem(pem: string): SigningKey {
  const publicKey = createPublicKey(pem);
  if (publicKey.asymmetricKeyType !== 'ed25519') throw new Error(`the key is ${String(publicKey.asymmetricKeyType)}, not Ed25519`);
  return signingKeyOf(publicKeyBytesOf(publicKey));
}

/** The 32 bytes of an Ed25519 public key. */
export function publicKeyBytesOf(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
