import type { Channel } from '@market-state/market-data';
import { round6 } from '../numbers/round';
import type { GapFlag } from '../read';

export const CUT_CHANNELS = ['book', 'trade', 'context', 'liquidation'] as const satisfies readonly Channel[];
export type CutChannel = (typeof CUT_CHANNELS)[number];

/**
 * Exchange times that no window over entries may span, by channel. A cut at `c` separates events at or before `c` from
 * later ones; it applies to packets at T > c. The newest cut before a channel's oldest retained one stays.
 */
export class Cuts {
  private readonly instants: Record<CutChannel, number[]>;

  constructor(instants: Partial<Record<CutChannel, readonly number[]>> = {}) {
    this.instants = {
      book: [...(instants.book ?? [])],
      trade: [...(instants.trade ?? [])],
      context: [...(instants.context ?? [])],
      liquidation: [...(instants.liquidation ?? [])],
    };
  }

  add(channel: CutChannel, instantMs: number): void {
    const instants = this.instants[channel];
    let place = instants.length;
    while (place > 0 && (instants[place - 1] as number) > instantMs) place--;
    instants.splice(place, 0, instantMs);
  }

  takeBack(channel: CutChannel, instantMs: number): void {
    const place = this.instants[channel].indexOf(instantMs);
    if (place >= 0) this.instants[channel].splice(place, 1);
  }

  addAll(instantMs: number): void {
    for (const channel of CUT_CHANNELS) this.add(channel, instantMs);
  }

  /** Newest cut before T, or minus infinity; windows contain only later entries. */
  newestBefore(channel: CutChannel, windowEndMs: number): number {
    return this.instants[channel].findLast((instant) => instant < windowEndMs) ?? Number.NEGATIVE_INFINITY;
  }

  windowStart(channel: CutChannel, windowEndMs: number, lengthMs: number): number {
    return Math.max(windowEndMs - lengthMs, this.newestBefore(channel, windowEndMs));
  }

  parts(channel: CutChannel, fromMs: number, toMs: number): boolean {
    return this.instants[channel].some((instant) => fromMs <= instant && instant < toMs);
  }

  forget(beforeMs: number): void {
    for (const channel of CUT_CHANNELS) {
      const instants = this.instants[channel];
      while (instants.length > 1 && (instants[1] as number) < beforeMs) instants.shift();
    }
  }

  dump(): Record<CutChannel, readonly number[]> {
    return this.instants;
  }
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
 * Book silences that overlap (T − lengthMs, T]: time after the log's first book and outside seams in which the newest
 * book, or end of a seam, is older than the staleness limit. `stampsMs`: book times in (T − lengthMs, T] and the last
 * one before, oldest first; `seams`: all in the ledger. Source: ours.
 */
export function bookSilences(
  stampsMs: readonly number[],
  seams: readonly GapSpan[],
  windowEndMs: number,
  lengthMs: number,
  limitMs: number,
): readonly TimeSpan[] {
  const [firstMs] = stampsMs;
  if (firstMs === undefined) return [];
  const startMs = windowEndMs - lengthMs;
  const ends = seams.map((seam) => seam.endMs).filter((endMs) => endMs >= firstMs && endMs <= windowEndMs);
  const anchors = ends.length === 0 ? stampsMs : [...stampsMs, ...ends].sort((a, b) => a - b);
  const silences: TimeSpan[] = [];
  for (let index = 0; index < anchors.length; index++) {
    const fromMs = Math.max(startMs, (anchors[index] as number) + limitMs);
    const untilMs = anchors[index + 1] ?? windowEndMs;
    if (fromMs < untilMs) silences.push(...outside(seams, { startMs: fromMs, endMs: untilMs }, windowEndMs));
  }
  return silences;
}

/** Parts of the span outside seams; an open seam reaches T. */
function outside(seams: readonly GapSpan[], span: TimeSpan, windowEndMs: number): readonly TimeSpan[] {
  let left: readonly TimeSpan[] = [span];
  for (const seam of seams) {
    const seamEndMs = seam.endMs === 0 ? windowEndMs : seam.endMs;
    left = left.flatMap(({ startMs, endMs }) =>
      [
        { startMs, endMs: Math.min(endMs, seam.startMs) },
        { startMs: Math.max(startMs, seamEndMs), endMs },
      ].filter((part) => part.startMs < part.endMs),
    );
  }
  return left;
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
