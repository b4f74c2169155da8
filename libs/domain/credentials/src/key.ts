import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Largest multiple of 62 that fits a byte. Larger bytes are skipped, so every digit is equally likely. */
const UNBIASED_LIMIT = 248;

/** Left-padded with `0` to `length` digits; `value` is an integer from 0 to 2^53. */
export function toBase62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62_DIGITS.charAt(rest % 62) + digits;
  }
  return digits.padStart(length, '0');
}

/**
 * Unbiased digits.
 * @throws RangeError if the bytes run out; about one byte in 32 is skipped
 */
export function drawBase62(randomBytes: Uint8Array, length: number): string {
  let digits = '';
  for (const byte of randomBytes) {
    if (digits.length === length) break;
    if (byte < UNBIASED_LIMIT) digits += BASE62_DIGITS.charAt(byte % 62);
  }
  if (digits.length < length) throw new RangeError(`too few random bytes for ${length} base62 digits`);
  return digits;
}

/** `live` keys have full access; `test` keys are sandbox keys. */
export type KeyKind = 'live' | 'test';

const PREFIX_LENGTH = 9;
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const KEY_LENGTH = PREFIX_LENGTH + RANDOM_LENGTH + CHECKSUM_LENGTH;
const BODY_PATTERN = /^[0-9A-Za-z]{46}$/;

/** 40 digits plus a margin for skipped bytes. */
export const KEY_RANDOM_SIZE_BYTES = 64;

/** May be shown so that the owner recognises the key. */
export interface KeyDisplay {
  readonly first: string;
  readonly last: string;
}

/**
 * `msk_live_` or `msk_test_`, 40 random base62 digits, and a CRC-32 as 6 base62 digits.
 * @param randomBytes `KEY_RANDOM_SIZE_BYTES` bytes from a cryptographic source
 * @throws RangeError if they run out
 */
export function formatKey(kind: KeyKind, randomBytes: Uint8Array): string {
  return withChecksum(`msk_${kind}_${drawBase62(randomBytes, RANDOM_LENGTH)}`);
}

/**
 * Null unless well-formed. Checks only shape and checksum, so mistyped keys are rejected before any lookup. Takes the
 * same short time for any text.
 */
export function parseKey(text: string): KeyKind | null {
  if (text.length !== KEY_LENGTH) return null;
  const kind = kindOfPrefix(text.slice(0, PREFIX_LENGTH));
  if (kind === null || !BODY_PATTERN.test(text.slice(PREFIX_LENGTH))) return null;
  return withChecksum(text.slice(0, -CHECKSUM_LENGTH)) === text ? kind : null;
}

/** The only form in which a key is stored, compared or sent between services. */
export function keyDigest(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest();
}

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
