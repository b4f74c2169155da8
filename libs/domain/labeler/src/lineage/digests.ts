import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical-json';

/** 64 lower-case hex characters. */
export type HexDigest = string;

/** What stands before the first packet of a chain. */
export const ZERO_DIGEST: HexDigest = '0'.repeat(64);

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_CHARACTERS = 26;

/** SHA-256 of the bytes, or of a text's UTF-8. */
export function sha256Hex(data: Uint8Array | string): HexDigest {
  return createHash('sha256').update(data).digest('hex');
}

/** The next link: SHA-256 of the 32 bytes of the previous lineage digest followed by the 32 bytes of the packet digest. */
export function lineageDigest(previous: HexDigest, packetDigest: HexDigest): HexDigest {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(Buffer.from(packetDigest, 'hex')).digest('hex');
}

/**
 * The 26 characters that a packet's ids end in: the first 130 bits, 5 a character from the highest on, of the SHA-256 of the
 * RFC 8785 array [symbol, T, policy digest, input digest, previous lineage digest], in lower-case Crockford base32.
 */
export function packetIdentity(
  symbol: string,
  windowEndMs: number,
  policyDigest: HexDigest,
  inputDigest: HexDigest,
  previousLineageDigest: HexDigest,
): string {
  const text = canonicalJson([symbol, windowEndMs, policyDigest, inputDigest, previousLineageDigest]);
  return crockford(createHash('sha256').update(text).digest(), ID_CHARACTERS);
}

/** The first `characters` of the bytes in lower-case Crockford base32, highest bit first. */
export function crockford(bytes: Uint8Array, characters: number): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < characters) {
      bits -= 5;
      text += CROCKFORD[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
    if (text.length === characters) break;
  }
  return text;
}
