import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { publicKeyBytesOf, signingKeyId } from '@market-state/labeler';
import type { PacketSignature } from '../packets/packet';

/** The registry of every key that packets were ever signed with. */
export interface SigningKeyStore {
  /** Enters a key as the one that signs from `atMs` on, and ends every other. Entered again it stays as it was. */
  register(key: Pick<SigningKey, 'keyId' | 'publicKey'>, atMs: number): Promise<void>;
  /** Oldest first. */
  list(): Promise<SigningKey[]>;
}

/** A public key that packets are signed with. Times are milliseconds since the epoch on the wall clock. */
export interface SigningKey {
  readonly keyId: string;
  /** The 32 bytes of the Ed25519 public key. */
  readonly publicKey: Uint8Array;
  /** When it was first used. */
  readonly validFromMs: number;
  /** When another key took its place; null while it signs. */
  readonly validToMs: number | null;
}

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
