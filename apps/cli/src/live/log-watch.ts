import {
  type Channel,
  ClockOffsets,
  type GapReason,
  type LivePlayer,
  type PlacedEvent,
  type PlayedInstrument,
} from '@market-state/market-data';

/** Input that is usual: the same again, an older book, a trade id without a trade, or a book whose snapshot is used up. */
const USUAL_REASONS: readonly string[] = ['duplicate', 'stale_snapshot', 'no_trade', 'beyond_snapshot'];
const SAMPLES_MAX = 10_000;

type TimedChannel = 'book' | 'trade' | 'context';

/** Watches one symbol's log, live: silences, clocks, gaps, and what was not taken. */
export class LogWatch {
  private readonly lastMs = new Map<Channel, number>();
  private readonly longestMs = new Map<Channel, number>();
  private readonly lagsMs: number[] = [];
  private gapTotal = 0;
  /** Of messages, those among them that were rejected by their times. */
  readonly clocks = new ClockOffsets();
  entryTotal = 0;

  constructor(
    private readonly instrument: PlayedInstrument,
    private readonly startMs: number,
  ) {}

  take(entries: readonly PlacedEvent[]): void {
    for (const { event } of entries) {
      if (event.kind === 'feed_status' && event.status.type === 'gap') this.countGap(event.status.reason);
      if (event.kind === 'tick' || event.kind === 'feed_status') continue;
      this.entryTotal++;
      this.heard(event.kind, event.receivedTsMs);
      if (event.kind === 'book' && this.lagsMs.length < SAMPLES_MAX) this.lagsMs.push(event.receivedTsMs - event.exchangeTsMs);
    }
  }

  private countGap(reason: GapReason): void {
    if (reason === 'arrived_late') this.gapTotal--;
    else if (reason !== 'disconnected') this.gapTotal++;
  }

  /**
   * How long after its exchange time a book was logged, the middle of all: below 0 when the venue's clock is ahead. Trades may be a
   * backlog.
   */
  get lagMs(): number | undefined {
    return [...this.lagsMs].sort((a, b) => a - b)[Math.floor(this.lagsMs.length / 2)];
  }

  /** Sentences on what is not as it should be, at the end. */
  differences(player: LivePlayer | undefined, endMs: number): readonly string[] {
    const clocks = this.clocks.sentence();
    const refused = Object.entries(player?.rejections ?? {}).filter(([reason, total]) => total > 0 && !USUAL_REASONS.includes(reason));
    return [
      ...this.silences(endMs),
      ...(clocks === undefined ? [] : [clocks]),
      ...refused.map(([reason, total]) => `rejected: ${reason}, ${total} times`),
      ...(this.gapTotal > 0 ? [`${this.gapTotal} gaps: messages did not follow each other`] : []),
    ];
  }

  private silences(endMs: number): string[] {
    const { bookStalenessMs, tradeStalenessMs, contextStalenessMs, channels } = this.instrument;
    const limits: Readonly<Record<TimedChannel, number>> = { book: bookStalenessMs, trade: tradeStalenessMs, context: contextStalenessMs };
    return (Object.keys(limits) as TimedChannel[]).flatMap((channel) => {
      if (!channels.includes(channel)) return [];
      this.heard(channel, endMs);
      const longest = this.longestMs.get(channel) ?? 0;
      return longest > limits[channel]
        ? [`${channel}: nothing for ${(longest / 1_000).toFixed(1)} s; it counts as stale after ${limits[channel] / 1_000} s`]
        : [];
    });
  }

  private heard(channel: Channel, atMs: number): void {
    const silentMs = atMs - (this.lastMs.get(channel) ?? this.startMs);
    this.longestMs.set(channel, Math.max(this.longestMs.get(channel) ?? 0, silentMs));
    this.lastMs.set(channel, atMs);
  }
}
