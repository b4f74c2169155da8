/** Base62 digits in ascending order: 0–9, A–Z, a–z. */
export const BASE62_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Largest multiple of 62 that fits a byte. Larger bytes are skipped, so every digit is equally likely. */
const UNBIASED_LIMIT = 248;

/** Formats an integer from 0 to 2^53 in base62, left-padded with `0` to `length` digits. */
export function toBase62(value: number, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    digits = BASE62_DIGITS.charAt(rest % 62) + digits;
  }
  return digits.padStart(length, '0');
}

/**
 * Returns `length` unbiased base62 digits.
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
