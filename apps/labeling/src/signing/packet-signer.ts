import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { publicKeyBytesOf, signingKeyId } from '@market-state/labeler';
import type { PacketSignature } from '../packets/packet';

export interface SigningKeyStore {
  /** Ends all other keys. Idempotent. */
  register(key: Pick<SigningKey, 'keyId' | 'publicKey'>, atMs: number): Promise<void>;
  list(): Promise<SigningKey[]>;
}

/** Times are wall clock. */
export interface SigningKey {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
  readonly validFromMs: number;
  readonly validToMs: number | null;
}

export interface PacketSigner {
  readonly key: Pick<SigningKey, 'keyId' | 'publicKey'> | undefined;
  /** Ed25519 over the digest's 32 bytes; null if packets are not signed. */
  sign(packetDigest: string): PacketSignature | null;
}

export const noSigner: PacketSigner = { key: undefined, sign: () => null };

export function createPacketSigner(privateKey: KeyObject): PacketSigner {
  const publicKey = publicKeyBytesOf(createPublicKey(privateKey));
  const keyId = signingKeyId(publicKey);
  return {
    key: { keyId, publicKey },
    sign: (packetDigest) => ({ bytes: sign(null, Buffer.from(packetDigest, 'hex'), privateKey), keyId }),
  };
}
