import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { publicKeyBytesOf, signingKeyId } from '@market-state/labeler';
import type { PacketSignature } from '../packets/packet';
import type { SigningKey } from './signing-key';

/** Signs packets. */
export interface PacketSigner {
  /** The public half of the key; undefined when packets are not signed. */
  readonly key: Pick<SigningKey, 'keyId' | 'publicKey'> | undefined;
  /** Ed25519 over the 32 bytes that the digest's 64 hex characters stand for; null when packets are not signed. */
  sign(packetDigest: string): PacketSignature | null;
}

/** Leaves packets unsigned. */
export const noSigner: PacketSigner = { key: undefined, sign: () => null };

/** Signs with an Ed25519 private key. */
export function createPacketSigner(privateKey: KeyObject): PacketSigner {
  const publicKey = publicKeyBytesOf(createPublicKey(privateKey));
  const keyId = signingKeyId(publicKey);
  return {
    key: { keyId, publicKey },
    sign: (packetDigest) => ({ bytes: sign(null, Buffer.from(packetDigest, 'hex'), privateKey), keyId }),
  };
}
