import { round6 } from '../numbers/round';
import type { CutChannel } from '../windows/cuts';
import type { GapFlag } from '../read';

/** What the gap flags read. */
interface GapFlagInput {
  /** Spans that overlap the last 300 s. */
  readonly spans: readonly GapSpan[];
  /** No book was heard for longer than its staleness limit, some time in the last 300 s. */
  readonly bookSilent: boolean;
  /** The venue reports context, and the last one is past its limit. */
  readonly contextStale: boolean;
  /** Every liquidation in 300 s is a proxy, and there is one. */
  readonly liquidationProxyOnly: boolean;
  /** Reconnections and late events logged since the tick that closed window T − 300 s. */
  readonly reconnectTotal: number;
  readonly lateTotal: number;
}

/**
 * The flags that hold at T, in the order of the table; each looks back 300 s, but for `context_stale`, which is of T itself. Source: ours.
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

/** A stretch of exchange time. */
export interface Stretch {
  readonly startMs: number;
  /** 0 while it is open. */
  readonly endMs: number;
}

/** A span of missing data, or a seam between two passes of a recording. */
export interface GapSpan extends Stretch {
  readonly gapId: string;
  /** Null: every channel. */
  readonly channel: CutChannel | null;
  readonly reason: string;
  readonly seam: boolean;
}

/** The gaps and seams that are open or ended not long ago, in the order in which the log told them. */
export class GapLedger {
  constructor(private spans: readonly GapSpan[] = []) {}

  /** Adds the span; one with the same id is replaced in its place. A span that has ended does not open again. */
  put(span: GapSpan): void {
    const known = this.find(span.gapId);
    if (known !== undefined && known.endMs !== 0 && span.endMs === 0) return;
    this.spans = known !== undefined ? this.spans.map((other) => (other.gapId === span.gapId ? span : other)) : [...this.spans, span];
  }

  /** Takes out the span of an id that was withdrawn, and gives it. */
  withdraw(gapId: string): GapSpan | undefined {
    const span = this.find(gapId);
    this.spans = this.spans.filter((other) => other !== span);
    return span;
  }

  find(gapId: string): GapSpan | undefined {
    return this.spans.find((span) => span.gapId === gapId);
  }

  /** All seams held, those that ended before any window too. */
  seams(): readonly GapSpan[] {
    return this.spans.filter((span) => span.seam);
  }

  /** Spans that overlap (T − lengthMs, T]: they start before T and are open or end after the window's start. */
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
 * Gap seconds: the part of (T − lengthMs, T] that at least one span or stretch covers, one with end 0 reaching T. Seconds,
 * 0..lengthMs / 1,000, 6 decimals; the window is 300 s. Source: the usual length of a union of intervals, by a sweep over their starts.
 */
export function gapSeconds(spans: readonly Stretch[], windowEndMs: number, lengthMs: number): number {
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
