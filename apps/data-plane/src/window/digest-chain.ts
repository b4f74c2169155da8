import { createHash } from 'node:crypto';
import type { marketData } from '@market-state/contracts';

/** Where every chain begins: 32 zero bytes. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

/** SHA-256 of the link before and the row's line, or for a packet its digest. */
export function nextLink(before: Buffer, { line, packetDigest }: marketData.DataRow): Buffer {
  return createHash('sha256')
    .update(before)
    .update(packetDigest === '' ? line : packetDigest)
    .digest();
}
