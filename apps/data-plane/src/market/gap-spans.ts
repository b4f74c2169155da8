import { type Channel, type FeedStatusEvent, lossOf } from '@market-state/market-data';
import type { GapRow } from '../recorder/gap-ledger';
import { ALL_CHANNELS, type GapTotals, SEAMS } from '../store/gaps';

const DAY_MS = 86_400_000;
/** Gaps kept of a symbol; the oldest are forgotten first. */
const KEPT_MAX = 10_000;

/** A gap in memory; `endMs` 0 while it is open, `channel` undefined for all. */
export interface GapSpan {
  readonly gapId: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** A recording began again, and nothing is lost. */
  readonly isSeam: boolean;
}

/** The newest gaps of a symbol: what is known of them while the ledger is out of reach. */
export class GapSpans {
  private readonly spans = new Map<string, GapSpan>();

  /** Adds a line of the ledger, unless it was withdrawn. */
  addRow(row: GapRow): void {
    if (row.resolution === 'withdrawn') return;
    this.add(spanOf(row, row.channel, lossOf(row) === 'none'));
  }

  private add(span: GapSpan): void {
    this.spans.set(span.gapId, span);
    for (const [gapId, { endMs }] of this.spans) {
      const isOld = endMs !== 0 && endMs < span.startMs - DAY_MS;
      if (!isOld && this.spans.size <= KEPT_MAX) break;
      this.spans.delete(gapId);
    }
  }

  apply({ status }: FeedStatusEvent): void {
    switch (status.type) {
      case 'gap':
        if (status.reason === 'arrived_late') this.spans.delete(status.gapId);
        else this.add(spanOf(status, status.channel, false));
        return;
      case 'resynced':
        return this.add(spanOf(status, status.channel, false));
      case 'seam':
        return this.add(spanOf(status, undefined, status.endMs !== 0));
      case 'connected':
      case 'disconnected':
        return;
    }
  }

  /** How many overlap [fromMs, toMs], by channel; an open one has no end. */
  totals(fromMs: number, toMs: number): GapTotals {
    const totals = new Map<string, number>();
    for (const { channel = ALL_CHANNELS, startMs, endMs, isSeam } of this.spans.values()) {
      if (startMs > toMs || (endMs !== 0 && endMs < fromMs)) continue;
      const key = isSeam ? SEAMS : channel;
      totals.set(key, (totals.get(key) ?? 0) + 1);
    }
    return totals;
  }
}

function spanOf({ gapId, startMs, endMs }: Omit<GapSpan, 'channel' | 'isSeam'>, channel: GapSpan['channel'], isSeam: boolean): GapSpan {
  return { gapId, channel, startMs, endMs, isSeam };
}
