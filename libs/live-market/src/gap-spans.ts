import type { Channel, FeedStatusEvent } from '@market-state/market-data';

const DAY_MS = 86_400_000;
/** Gaps kept of a symbol; the oldest are forgotten first. */
const KEPT_MAX = 10_000;

/**
 * How many gaps overlap a span, by channel; `all` counts those that cut every channel, `seam` the seams of a recording that lost
 * nothing.
 */
export type GapTotals = ReadonlyMap<string, number>;

/** Key of the gaps that cut every channel. */
export const ALL_CHANNELS = 'all';

/** Key of the seams. */
export const SEAMS = 'seam';

/** A gap in memory; `endMs` 0 while it is open, `channel` undefined for all. */
export interface GapSpan {
  readonly gapId: string;
  readonly channel: Channel | undefined;
  readonly startMs: number;
  readonly endMs: number;
  /** A recording began again, and nothing is lost. */
  readonly isSeam: boolean;
  /** All that was missing came late: it counts no more. */
  readonly isWithdrawn?: boolean;
}

/** The gaps of a symbol in the last day, as its log tells them and its ledger has them. */
export class GapSpans {
  private readonly spans = new Map<string, GapSpan>();
  /** The newest end of a gap that was forgotten since there were too many; Infinity for one without an end. */
  private forgottenToMs = 0;
  private newestStartMs = 0;

  /** False where gaps of the last day were forgotten, so that they can't be counted. */
  get isWhole(): boolean {
    return this.forgottenToMs < this.newestStartMs - DAY_MS || this.forgottenToMs === 0;
  }

  /** They can't be counted, since gaps were forgotten elsewhere. */
  setPartial(): void {
    this.forgottenToMs = Infinity;
  }

  /** A gap as the ledger has it. */
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
