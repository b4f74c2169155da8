import { drawBase62, toBase62 } from '@market-state/credentials';

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 18;
const TIME_LIMIT_MS = 62 ** TIME_DIGITS;

/** How many random bytes `formatMessageId` asks for: 18 digits and room for the bytes it skips (they never run out in practice). */
export const MESSAGE_ID_RANDOM_SIZE_BYTES = 48;

/**
 * The id of a message, the same in every attempt: `msg_` and 26 base62 digits, of which the first 8 are the time, so that ids sort (by
 * byte) as the messages were made, and 18 are random (107 bits).
 * `nowMs`: milliseconds since the epoch, a whole number below 62^8 (the year 8888). `randomBytes`: `MESSAGE_ID_RANDOM_SIZE_BYTES` bytes
 * from a cryptographic source. Throws RangeError for a time out of range and when the bytes run out.
 */
export function formatMessageId(nowMs: number, randomBytes: Uint8Array): string {
  if (!Number.isInteger(nowMs) || nowMs < 0 || nowMs >= TIME_LIMIT_MS) throw new RangeError('the time of a message id is out of range');
  return `msg_${toBase62(nowMs, TIME_DIGITS)}${drawBase62(randomBytes, RANDOM_DIGITS)}`;
}
