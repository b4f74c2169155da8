import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';

/** What a key of our own may not let anyone do, and one of somebody else's, which we read as members of its group. */
const OTHERS_MAY = 0o077;
const BEYOND_GROUP_READS = 0o037;

/** The file of the signing key is not what it must be. The message names the file and the fault, never what it holds. */
export class SigningKeyFileError extends Error {
  override readonly name = 'SigningKeyFileError';
}

/**
 * The Ed25519 private key in a PKCS#8 PEM file that its owner alone may read, or, where another user owns it, its group too. A missing
 * file is made with a new key; of several processes that find it missing one makes it and all read the same.
 * @throws {SigningKeyFileError} when the file cannot be read, is open to others, or holds anything else
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
      const wanted = isOwn ? 'its owner alone (chmod 600)' : 'its owner and group alone (chmod 440)';
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
  if (key?.asymmetricKeyType !== 'ed25519') throw new SigningKeyFileError(`${file} does not hold an Ed25519 private key as PKCS#8 PEM.`);
  return key;
}

/** Written whole beside its place and then linked into it, which fails where another process was faster. */
function makeKeyFile(file: string): void {
  const written = `${file}.${process.pid}.new`;
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
  return new SigningKeyFileError(`The signing key ${file} cannot be read or made (${code}).`);
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === code;
}
