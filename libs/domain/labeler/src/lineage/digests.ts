import { crockford, fromHex, sha256Hex } from '@market-state/market-data';
import { canonicalJson } from './canonical-json';

/** 64 lower-case hex characters. */
export type HexDigest = string;

/** Previous lineage digest of a chain's first packet. */
export const ZERO_DIGEST: HexDigest = '0'.repeat(64);

const ID_CHARACTERS = 26;

export { sha256Hex };

/** Next lineage digest: SHA-256 of the previous digest's 32 bytes and the packet digest's 32 bytes. */
export function lineageDigest(previous: HexDigest, packetDigest: HexDigest): HexDigest {
  return sha256Hex(fromHex(previous + packetDigest));
}

/**
 * 26-character suffix of a packet's ids: the first 130 bits, 5 per character from the highest, of the SHA-256 of the
 * RFC 8785 array [market, T, policy digest, input digest, previous lineage digest], in lower-case Crockford base32.
 */
export function packetIdentity(
  market: string,
  windowEndMs: number,
  policyDigest: HexDigest,
  inputDigest: HexDigest,
  previousLineageDigest: HexDigest,
): string {
  const text = canonicalJson([market, windowEndMs, policyDigest, inputDigest, previousLineageDigest]);
  return crockford(fromHex(sha256Hex(text)), ID_CHARACTERS);
}
