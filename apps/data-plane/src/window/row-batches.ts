import type { marketData } from '@market-state/contracts';
import { decodeEvent, rowLine } from '@market-state/market-data';
import type { StoredRow } from '../store/window-reader';
import { toPublicChannel } from './public-channels';

/** A row as it is streamed and replayed. @throws EventDecodeError when its payload is no event */
export function toDataRow(row: StoredRow): marketData.DataRow {
  return {
    channel: toPublicChannel(row.channel),
    sequence: row.ordinal,
    epoch: row.epoch,
    exchangeTsMs: row.exchangeTsMs,
    receivedTsMs: row.receivedTsMs,
    flags: row.flags,
    line: Buffer.from(rowLine(decodeEvent(row.payload))),
    packetDigest: '',
    packetWindowEndMs: 0,
  };
}

/** Rows of a page are sent on when their bytes reach this: a message stays under 1 MiB. */
export const PAGE_BYTES = 900_000;
/** Rows of a stream: 16 such messages may wait for a reader that is slow. */
export const STREAM_BYTES = 256_000;

/** About what a row takes beside its line. */
const ROW_OVERHEAD_BYTES = 120;

/** Collects rows for one message. */
export class RowBatcher {
  private rows: marketData.DataRow[] = [];
  private sizeBytes = 0;

  /** A row that is larger than `bytesMax` is a message of its own. */
  constructor(private readonly bytesMax: number) {}

  /** Takes a row; gives back the rows before it when they fill a message. */
  add(row: marketData.DataRow): marketData.DataRow[] | undefined {
    const rowBytes = row.line.length + ROW_OVERHEAD_BYTES;
    const full = this.rows.length > 0 && this.sizeBytes + rowBytes > this.bytesMax ? this.take() : undefined;
    this.rows.push(row);
    this.sizeBytes += rowBytes;
    return full;
  }

  /** What is there; it is gone then. */
  take(): marketData.DataRow[] {
    const { rows } = this;
    this.rows = [];
    this.sizeBytes = 0;
    return rows;
  }

  get isEmpty(): boolean {
    return this.rows.length === 0;
  }
}
