import type { marketData } from '@market-state/contracts';
import { decodeEvent, rowLine } from '@market-state/market-data';
import type { StoredRow } from '../store/window-reader';
import { toPublicChannel } from './public-channels';

/** @throws EventDecodeError if the payload is not an event */
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

/** Flush size that keeps messages under 1 MiB. */
export const PAGE_BYTES = 900_000;
/** Smaller for streams: 16 such messages can queue for a slow reader. */
export const STREAM_BYTES = 256_000;

const ROW_OVERHEAD_BYTES = 120;

export class RowBatcher {
  private rows: marketData.DataRow[] = [];
  private sizeBytes = 0;

  constructor(private readonly bytesMax: number) {}

  /** Returns the previous rows if they fill a message. */
  add(row: marketData.DataRow): marketData.DataRow[] | undefined {
    const rowBytes = row.line.length + ROW_OVERHEAD_BYTES;
    const full = this.rows.length > 0 && this.sizeBytes + rowBytes > this.bytesMax ? this.take() : undefined;
    this.rows.push(row);
    this.sizeBytes += rowBytes;
    return full;
  }

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
