import type { marketData } from '@market-state/contracts';
import type { Sent } from './completeness';
import { CHAIN_START, nextLink } from './digest-chain';
import { PACKETS } from './public-channels';

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
