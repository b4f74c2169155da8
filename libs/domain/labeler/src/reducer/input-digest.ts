import { createHash } from 'node:crypto';
import { canonicalBytes, type MarketEvent } from '@market-state/market-data';
import type { HexDigest } from '../lineage/digests';

/**
 * input_digest: SHA-256 of the canonical encodings, in the order given, each after its length as a protobuf varint.
 */
export function inputDigest(entries: Iterable<MarketEvent>): HexDigest {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    const bytes = canonicalBytes(entry);
    parts.push(varint(bytes.length), bytes);
  }
  return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
