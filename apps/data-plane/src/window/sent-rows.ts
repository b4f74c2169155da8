import type { marketData } from '@market-state/contracts';
import { decodeEvent, rowLine, type FeedStatusEvent } from '@market-state/market-data';
import type { Pool } from 'pg';
import type { StoredRow } from '../store/window-reader';
import { toPublicChannel } from './public-channels';
import { type GapRow, gapsReportedBy } from '../recorder/gap-ledger';
import { readGapOf, readLossesReportedAt } from '../store/gaps';

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

/** Splits items into messages of at most so many bytes, each with at least one item. */
export function* inMessages<Item>(
  items: Iterable<Item>,
  bytesOf: (item: Item) => number,
  { bytesMax, itemsMax = Infinity }: { readonly bytesMax: number; readonly itemsMax?: number },
): Generator<Item[]> {
  let message: Item[] = [];
  let sizeBytes = 0;
  for (const item of items) {
    const itemBytes = bytesOf(item);
    if (message.length === itemsMax || (message.length > 0 && sizeBytes + itemBytes > bytesMax)) {
      yield message;
      message = [];
      sizeBytes = 0;
    }
    message.push(item);
    sizeBytes += itemBytes;
  }
  if (message.length > 0) yield message;
}

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

export function toProtoGap(
  { gapId, symbol, channel, startMs, endMs, reason, resolution }: GapRow,
  place?: marketData.LogPosition,
): marketData.Gap {
  return { gapId, symbol, channel: channel === undefined ? '' : toPublicChannel(channel), startMs, endMs, reason, resolution, place };
}

/** `packet_window_end_ms` of a position behind the gap reported there. */
export const GAP_REPORTED = 1;

export interface ReportedGaps {
  /** Losses that no entry reports: right before the row, in its epoch. */
  readonly before: readonly marketData.Gap[];
  /** Reported by the row itself. */
  readonly after: readonly marketData.Gap[];
}

const NOTHING: ReportedGaps = { before: [], after: [] };

/**
 * Gaps around a control row as originally reported, so that live and later reads agree. `epochBefore`: epoch of the
 * previous control row, if known. Rejects as `storeFailure`.
 */
export async function gapsReportedAt(pool: Pool, row: StoredRow, epochBefore: number | undefined): Promise<ReportedGaps> {
  const event = decodeEvent(row.payload);
  const status = event.kind === 'feed_status' ? event : undefined;
  const isNewEpoch = epochBefore !== undefined && row.epoch > epochBefore;
  if (status === undefined && !isNewEpoch) return NOTHING;
  const statusGaps = status === undefined ? [] : await gapsOf(pool, status);
  const losses = isNewEpoch ? await readLossesReportedAt(pool, event.symbol, row.receivedTsMs) : [];
  const lost = losses.filter(({ gapId }) => statusGaps.every((gap) => gap.gapId !== gapId));
  return {
    before: lost.map((gap) => toProtoGap(gap, { epoch: row.epoch, ordinal: row.ordinal - 1, packetWindowEndMs: GAP_REPORTED })),
    after: statusGaps.map((gap) => toProtoGap(gap, { epoch: row.epoch, ordinal: row.ordinal, packetWindowEndMs: GAP_REPORTED })),
  };
}

/** A gap's end only names it; the rest is in the ledger. */
async function gapsOf(pool: Pool, event: FeedStatusEvent): Promise<readonly GapRow[]> {
  const { status, receivedTsMs: reportedAtMs } = event;
  const isWithdrawal = status.type === 'gap' && status.reason === 'arrived_late';
  if (status.type !== 'resynced' && !isWithdrawal) return gapsReportedBy(event);
  const { gapId, endMs } = status;
  const ended = await readGapOf(pool, gapId);
  return ended.map((gap) => ({ ...gap, endMs, resolution: isWithdrawal ? 'withdrawn' : 'resynced', reportedAtMs }));
}
