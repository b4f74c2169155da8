import { canonicalStream, type MarketEvent } from '@market-state/market-data';
import { sha256Hex, type HexDigest } from '../lineage/digests';

/**
 * input_digest: SHA-256 of the canonical encodings, in the order given, each after its length as a protobuf varint.
 */
export function inputDigest(entries: Iterable<MarketEvent>): HexDigest {
  return sha256Hex(canonicalStream(entries));
}
