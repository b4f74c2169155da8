import { createHash } from 'node:crypto';
import type { marketData } from '@market-state/contracts';
import { lossOf } from '@market-state/market-data';
import type { GapRow } from '../recorder/gap-ledger';
import type { Shortfalls } from './window-rows';
import { PACKETS } from './public-channels';

const CHAIN_START: Buffer = Buffer.alloc(32);

/** SHA-256 of the previous link and the row's line, or a packet's digest. */
function nextLink(before: Buffer, { line, packetDigest }: marketData.DataRow): Buffer {
  return createHash('sha256')
    .update(before)
    .update(packetDigest === '' ? line : packetDigest)
    .digest();
}

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

const ARCHIVE_UNREADABLE = 'archive_unreadable';

export interface WindowFacts {
  /** Expected log rows, and reasons why the count may be low. */
  readonly logRows: number;
  readonly countReasons: readonly string[];
  /** Expected packets; 0 if not requested or not countable. */
  readonly packets: number;
  /** Every row is recorded, and every requested packet made, by the as-of instant. */
  readonly isFinished: boolean;
  readonly beforeRetention: boolean;
  /** A channel was requested by name that the venue does not provide. */
  readonly hasUnreportedChannel: boolean;
  readonly packetsUnreachable: boolean;
  /** With possible loss. */
  readonly losses: readonly GapRow[];
}

export interface Sent {
  readonly logRows: number;
  readonly packets: number;
  readonly chain: Buffer;
}

export function factsAfter(facts: WindowFacts, { packetsUnreachable, archiveUnreadable }: Shortfalls): WindowFacts {
  const countReasons =
    archiveUnreadable && !facts.countReasons.includes(ARCHIVE_UNREADABLE)
      ? [...facts.countReasons, ARCHIVE_UNREADABLE]
      : facts.countReasons;
  return { ...facts, countReasons, packetsUnreachable: facts.packetsUnreachable || packetsUnreachable };
}

/** `moreFollow`: the read is not at its end. */
export function completenessOf(facts: WindowFacts, sent: Sent, moreFollow: boolean): marketData.Completeness {
  const isMissing = !moreFollow && (sent.logRows !== facts.logRows || (facts.isFinished && sent.packets !== facts.packets));
  const reasons = [
    ...(moreFollow ? ['more_rows_follow'] : []),
    ...(facts.losses.some((loss) => lossOf(loss) === 'lost') ? ['gaps_in_window'] : []),
    ...(facts.losses.some((loss) => lossOf(loss) === 'unknown') ? ['seam_loss_unknown'] : []),
    ...(facts.isFinished ? [] : ['window_not_finished']),
    ...(facts.beforeRetention ? ['before_retention'] : []),
    ...(isMissing ? ['rows_missing'] : []),
    ...(facts.hasUnreportedChannel ? ['channel_not_reported'] : []),
    ...(facts.packetsUnreachable ? ['packets_unreachable'] : []),
    ...facts.countReasons,
  ];
  return {
    rowsExpected: facts.logRows + facts.packets,
    rowsSent: sent.logRows + sent.packets,
    gapIds: facts.losses.map(({ gapId }) => gapId),
    rowsSha256: sent.chain.toString('hex'),
    complete: reasons.length === 0,
    reasons,
  };
}
