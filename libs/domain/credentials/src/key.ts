import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { drawBase62, toBase62 } from './base62';

/** `live` keys are full keys; `test` keys are sandbox keys. */
export type KeyKind = 'live' | 'test';

const PREFIX_LENGTH = 9;
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = PREFIX_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;
const BODY_PATTERN = /^[0-9A-Za-z]{46}$/;

/** How many random bytes `formatKey` asks for: 40 digits and room for the bytes it skips (they never run out in practice). */
export const KEY_RANDOM_SIZE_BYTES = 64;

/** The parts of a key that may be shown, for its owner to recognise it. */
export interface KeyDisplay {
  /** The first 12 characters. */
  readonly first: string;
  /** The last 4 characters. */
  readonly last: string;
}

/**
 * A key: `msk_live_` or `msk_test_`, 40 random base62 digits, then the CRC-32 of all before it as 6 base62 digits.
 * `randomBytes`: `KEY_RANDOM_SIZE_BYTES` bytes from a cryptographic source. Throws RangeError when they run out.
 */
export function formatKey(kind: KeyKind, randomBytes: Uint8Array): string {
  return withChecksum(`msk_${kind}_${drawBase62(randomBytes, RANDOM_LENGTH)}`);
}

/**
 * The kind of a well-formed key, or null for every other text. Tests shape and checksum only, so that a mistyped key is
 * refused before any look-up. Takes the same short time whatever the text.
 */
export function parseKey(text: string): KeyKind | null {
  if (text.length !== KEY_LENGTH) return null;
  const kind = kindOfPrefix(text.slice(0, PREFIX_LENGTH));
  if (kind === null || !BODY_PATTERN.test(text.slice(PREFIX_LENGTH))) return null;
  return withChecksum(text.slice(0, -CHECKSUM_LENGTH)) === text ? kind : null;
}

/** SHA-256 of the whole key, 32 bytes: the only form in which a key is stored, compared or sent between services. */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

/** First 12 and last 4 characters of a well-formed key. */
export function displayParts(key: string): KeyDisplay {
  return { first: key.slice(0, 12), last: key.slice(-4) };
}

function withChecksum(payload: string): string {
  return payload + toBase62(crc32(payload), CHECKSUM_LENGTH);
}

function kindOfPrefix(prefix: string): KeyKind | null {
  if (prefix === 'msk_live_') return 'live';
  return prefix === 'msk_test_' ? 'test' : null;
}
