import type { marketData } from '@market-state/contracts';
import type { Sent } from './completeness';
import { PACKETS } from './public-channels';
import { createHash } from 'node:crypto';

/** Where every chain begins: 32 zero bytes. */
const CHAIN_START: Buffer = Buffer.alloc(32);

/** SHA-256 of the link before and the row's line, or for a packet its digest. */
function nextLink(before: Buffer, { line, packetDigest }: marketData.DataRow): Buffer {
  return createHash('sha256')
    .update(before)
    .update(packetDigest === '' ? line : packetDigest)
    .digest();
}

/** Counts and chains the rows of a window as they are sent. */
export class Tally implements Sent {
  logRows: number;
  packets: number;
  chain: Buffer;

  constructor(before: Sent = { logRows: 0, packets: 0, chain: CHAIN_START }) {
    ({ logRows: this.logRows, packets: this.packets, chain: this.chain } = before);
  }

  add(row: marketData.DataRow): void {
    if (row.channel === PACKETS) this.packets += 1;
    else this.logRows += 1;
    this.chain = nextLink(this.chain, row);
  }
}
