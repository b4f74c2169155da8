import { type Channel, type FeedStatusEvent, DAY_MS } from '@market-state/market-data';

/** The oldest are dropped first. */
const KEPT_MAX = 10_000;

/** Counts by channel; `all` counts gaps on every channel, `seam` recording seams without loss. */
export type GapTotals = ReadonlyMap<string, number>;

export const ALL_CHANNELS = 'all';

export const SEAMS = 'seam';

/** `endMs` is 0 while open, `channel` undefined for all. */
export interface GapSpan {
  readonly gapId: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** The recording restarted without loss. */
  readonly isSeam: boolean;
  /** All missing rows arrived late. */
  readonly isWithdrawn?: boolean;
}

export class GapSpans {
  private readonly spans = new Map<string, GapSpan>();
  /** Newest end of a dropped gap; Infinity if it was open. */
  private forgottenToMs = 0;
  private newestStartMs = 0;

  /** False if gaps of the last day were dropped: totals are unknown. */
  get isWhole(): boolean {
    return this.forgottenToMs < this.newestStartMs - DAY_MS || this.forgottenToMs === 0;
  }

  /** Gaps were dropped at the source. */
  setPartial(): void {
    this.forgottenToMs = Infinity;
  }

  /** Applies a gap from the ledger. */
  take(span: GapSpan): void {
    if (span.isWithdrawn === true) this.spans.delete(span.gapId);
    else this.add(span);
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

  totals(fromMs: number, toMs: number): GapTotals {
    const totals = new Map<string, number>();
    for (const { channel = ALL_CHANNELS, startMs, endMs, isSeam } of this.spans.values()) {
      if (startMs > toMs || (endMs !== 0 && endMs < fromMs)) continue;
      const key = isSeam ? SEAMS : channel;
      totals.set(key, (totals.get(key) ?? 0) + 1);
    }
    return totals;
  }

  all(): GapSpan[] {
    return [...this.spans.values()];
  }

  private add(span: GapSpan): void {
    this.spans.set(span.gapId, span);
    this.newestStartMs = Math.max(this.newestStartMs, span.startMs);
    for (const [gapId, { endMs }] of this.spans) {
      const isOld = endMs !== 0 && endMs < span.startMs - DAY_MS;
      if (!isOld && this.spans.size <= KEPT_MAX) break;
      if (!isOld) this.forgottenToMs = Math.max(this.forgottenToMs, endMs === 0 ? Infinity : endMs);
      this.spans.delete(gapId);
    }
  }
}

function spanOf(
  { gapId, startMs, endMs }: Pick<GapSpan, 'gapId' | 'startMs' | 'endMs'>,
  channel: GapSpan['channel'],
  isSeam: boolean,
): GapSpan {
  return { gapId, channel, startMs, endMs, isSeam };
}
