import type { Channel, FeedStatusEvent } from '@market-state/market-data';
import { ALL_CHANNELS, type GapTotals } from '../store/gaps';

const DAY_MS = 86_400_000;
/** Gaps kept of a symbol; the oldest are forgotten first. */
const KEPT_MAX = 10_000;

/** A gap in memory; `endMs` 0 while it is open, `channel` undefined for all. */
export interface GapSpan {
  readonly gapId: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
}

/** The newest gaps of a symbol: what is known of them while the ledger is out of reach. */
export class GapSpans {
  private readonly spans = new Map<string, GapSpan>();

  add(span: GapSpan): void {
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
        else this.add({ gapId: status.gapId, channel: status.channel, startMs: status.startMs, endMs: status.endMs });
        return;
      case 'resynced':
        return this.add({ gapId: status.gapId, channel: status.channel, startMs: status.startMs, endMs: status.endMs });
      case 'seam':
        return this.add({ gapId: status.gapId, channel: undefined, startMs: status.startMs, endMs: status.endMs });
      case 'connected':
      case 'disconnected':
        return;
    }
  }

  /** How many overlap [fromMs, toMs], by channel; an open one has no end. */
  totals(fromMs: number, toMs: number): GapTotals {
    const totals = new Map<string, number>();
    for (const { channel = ALL_CHANNELS, startMs, endMs } of this.spans.values()) {
      if (startMs > toMs || (endMs !== 0 && endMs < fromMs)) continue;
      totals.set(channel, (totals.get(channel) ?? 0) + 1);
    }
    return totals;
  }
}
