import { createPublicKey, type KeyObject, sign, createPrivateKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { publicKeyBytesOf, signingKeyId } from '@market-state/labeler';
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import type { PacketSignature } from './packet';

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

/** Forbidden mode bits of our own key file, and of one owned by another user, which we read as members of its group. */
const OTHERS_MAY = 0o077;
const BEYOND_GROUP_READS = 0o037;

export class SigningKeyFileError extends Error {
  override readonly name = 'SigningKeyFileError';
}

/**
 * Reads the Ed25519 private key from a PKCS#8 PEM file readable only by its owner or, if another user owns it, also by
 * its group. Creates a missing file; concurrent processes all end up with the same key.
 * @throws {SigningKeyFileError} if the file cannot be read, is open to others, or contains anything else
 */
export function openSigningKey(file: string): KeyObject {
  try {
    return readSigningKey(file);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw asFileError(file, error);
  }
  try {
    makeKeyFile(file);
    return readSigningKey(file);
  } catch (error) {
    throw asFileError(file, error);
  }
}

function readSigningKey(file: string): KeyObject {
  const descriptor = openSync(file, 'r');
  try {
    const { mode, uid } = fstatSync(descriptor);
    const isOwn = uid === process.getuid?.();
    if ((mode & (isOwn ? OTHERS_MAY : BEYOND_GROUP_READS)) !== 0) {
      const wanted = isOwn ? 'its owner only (chmod 600)' : 'its owner and group only (chmod 440)';
      throw new SigningKeyFileError(
        `The signing key ${file} is open to others (mode ${(mode & 0o777).toString(8)}); make it readable by ${wanted}.`,
      );
    }
    return parseKey(file, readFileSync(descriptor, 'utf8'));
  } finally {
    closeSync(descriptor);
  }
}

function parseKey(file: string, pem: string): KeyObject {
  const key = attempt(() => createPrivateKey({ key: pem, format: 'pem' }));
  if (key?.asymmetricKeyType !== 'ed25519') throw new SigningKeyFileError(`${file} does not contain an Ed25519 private key as PKCS#8 PEM.`);
  return key;
}

/** Linking a temporary file into place fails if another process was faster. */
function makeKeyFile(file: string): void {
  const written = `${file}.${randomUUID()}.new`;
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' });
  const descriptor = openSync(written, 'wx', 0o600);
  try {
    writeFileSync(descriptor, pem);
    fsyncSync(descriptor);
    linkSync(written, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    closeSync(descriptor);
    unlinkSync(written);
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function asFileError(file: string, error: unknown): SigningKeyFileError {
  if (error instanceof SigningKeyFileError) return error;
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? 'unknown';
  return new SigningKeyFileError(`The signing key ${file} cannot be read or created (${code}).`);
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
