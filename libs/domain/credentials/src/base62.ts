/** Digits of base 62 in the order of their values: 0–9, A–Z, a–z. */
export const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The largest multiple of 62 that fits a byte: bytes at or above it are skipped, so that each digit is equally likely. */
const UNBIASED_LIMIT = 248;

/** `value` (an integer, 0..2^53) in base 62, left-padded with `0` to `length` digits. */
export function toBase62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62_DIGITS.charAt(rest % 62) + digits;
  }
  return digits.padStart(length, '0');
}

/**
 * `length` base62 digits drawn from uniformly random bytes without bias.
 * Throws RangeError when the bytes run out, which they do about one byte in 32 faster than one digit a byte.
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
