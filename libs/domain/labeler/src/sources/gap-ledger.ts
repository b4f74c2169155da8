import { round6 } from '../numbers/round';
import type { CutChannel } from '../windows/cuts';
import type { GapFlag } from '../read';

interface GapFlagInput {
  readonly spans: readonly GapSpan[];
  readonly bookSilent: boolean;
  readonly contextStale: boolean;
  readonly liquidationProxyOnly: boolean;
  /** Since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
}

/**
 * Flags that hold at T, in table order, each over the last 300 s, except `context_stale`, which is about T itself.
 * Source: ours.
 */
export function gapFlags(input: GapFlagInput): readonly GapFlag[] {
  const flags: readonly (readonly [GapFlag, boolean])[] = [
    ['book_gap', input.bookSilent || touches(input.spans, 'book')],
    ['trade_gap', touches(input.spans, 'trade')],
    ['context_stale', input.contextStale],
    ['liquidation_proxy_only', input.liquidationProxyOnly],
    ['feed_reconnected', input.reconnectTotal > 0],
    ['recording_seam', input.spans.some((span) => span.seam)],
    ['late_events', input.lateTotal > 0],
  ];
  return flags.filter(([, holds]) => holds).map(([flag]) => flag);
}

function touches(spans: readonly GapSpan[], channel: CutChannel): boolean {
  return spans.some((span) => !span.seam && (span.channel === null || span.channel === channel));
}

export interface TimeSpan {
  readonly startMs: number;
  /** 0 while open. */
  readonly endMs: number;
}

/** Missing data, or a seam between two passes of a recording. */
export interface GapSpan extends TimeSpan {
  readonly gapId: string;
  /** Null: every channel. */
  readonly channel: CutChannel | null;
  readonly reason: string;
  readonly seam: boolean;
}

/** In log order. */
export class GapLedger {
  constructor(private spans: readonly GapSpan[] = []) {}

  /** Adds or replaces a span by id. An ended span does not reopen. */
  put(span: GapSpan): void {
    const known = this.find(span.gapId);
    if (known !== undefined && known.endMs !== 0 && span.endMs === 0) return;
    this.spans = known !== undefined ? this.spans.map((other) => (other.gapId === span.gapId ? span : other)) : [...this.spans, span];
  }

  withdraw(gapId: string): GapSpan | undefined {
    const span = this.find(gapId);
    this.spans = this.spans.filter((other) => other !== span);
    return span;
  }

  find(gapId: string): GapSpan | undefined {
    return this.spans.find((span) => span.gapId === gapId);
  }

  seams(): readonly GapSpan[] {
    return this.spans.filter((span) => span.seam);
  }

  /** Spans that overlap (T − lengthMs, T]. */
  within(windowEndMs: number, lengthMs: number): readonly GapSpan[] {
    return this.spans.filter((span) => span.startMs < windowEndMs && (span.endMs === 0 || span.endMs > windowEndMs - lengthMs));
  }

  forget(beforeMs: number): void {
    this.spans = this.spans.filter((span) => span.endMs === 0 || span.endMs > beforeMs);
  }

  dump(): readonly GapSpan[] {
    return this.spans;
  }
}

/**
 * Gap seconds: the part of (T − lengthMs, T] covered by at least one span; an open one reaches T. Seconds, 0 to
 * lengthMs / 1,000, 6 decimals; the window is 300 s. Source: the usual length of a union of intervals, by a sweep over
 * their starts.
 */
export function gapSeconds(spans: readonly TimeSpan[], windowEndMs: number, lengthMs: number): number {
  const clipped = spans
    .map((span) => ({
      startMs: Math.max(span.startMs, windowEndMs - lengthMs),
      endMs: span.endMs === 0 ? windowEndMs : Math.min(span.endMs, windowEndMs),
    }))
    .sort((a, b) => a.startMs - b.startMs);
  let coveredMs = 0;
  let reachedMs = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs } of clipped) {
    coveredMs += Math.max(0, endMs - Math.max(startMs, reachedMs));
    reachedMs = Math.max(reachedMs, endMs);
  }
  return round6(coveredMs / 1000);
}
