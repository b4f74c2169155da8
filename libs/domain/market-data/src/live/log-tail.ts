import type { FeedStatus, MarketEvent } from '../event';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** The gaps of a log that have not ended, in the order of their entries. */
export class OpenGaps {
  private readonly gaps = new Map<string, Gap>();

  apply(status: FeedStatus): void {
    if (status.type === 'gap' && status.endMs === 0) this.gaps.set(status.gapId, status);
    else if (status.type === 'gap' || status.type === 'resynced') this.gaps.delete(status.gapId);
  }

  list(): readonly Gap[] {
    return [...this.gaps.values()];
  }
}

/** What may come again when a connection begins, and is known by the venue's id. */
export interface Identified {
  readonly kind: 'trade' | 'context' | 'liquidation';
  /** '' where the venue gives none: then nothing is known to be the same. */
  readonly venueId: string;
  readonly exchangeTsMs: number;
}

/** As many ids are remembered as a running feed does, at least. */
const KNOWN_MAX = 100_000;

/** The newest of the market that a feed which stood by may have heard too, by receive time, milliseconds. */
const NEWEST_MS = 60_000;

/** What the end of a live symbol's log says to the feed that carries it on. */
export interface LogTail {
  /** Newest exchange time of a book, trade, context or liquidation that the venue timed; 0 where there is none. */
  readonly lastExchangeMs: number;
  /** Receive time of the last entry. */
  readonly feedClockMs: number;
  /** What the venue gave an id, oldest first: it is not logged again. */
  readonly known: readonly Identified[];
  readonly openGaps: readonly Gap[];
  /** Every gap of the log, and what became of it. */
  readonly gaps: ReadonlyMap<string, 'open' | 'ended' | 'withdrawn'>;
  /** Books, trades, contexts and liquidations of the last minute, oldest first. */
  readonly newest: readonly MarketEvent[];
}

/** Of a log without entries. */
export const EMPTY_TAIL: LogTail = { lastExchangeMs: 0, feedClockMs: 0, known: [], openGaps: [], gaps: new Map(), newest: [] };

/** Reads it from the entries of a log, oldest first. */
export class LogTailScan {
  private readonly openGaps = new OpenGaps();
  private readonly gaps = new Map<string, 'open' | 'ended' | 'withdrawn'>();
  private newest: MarketEvent[] = [];
  private known: Identified[] = [];
  private lastExchangeMs = 0;
  private feedClockMs = 0;

  accept(event: MarketEvent): void {
    this.feedClockMs = event.receivedTsMs;
    if (event.kind === 'feed_status') this.follow(event.status);
    else if (event.kind !== 'tick' && !event.exchangeTsIsReceiveTime)
      this.lastExchangeMs = Math.max(this.lastExchangeMs, event.exchangeTsMs);
    if (event.kind === 'trade' || event.kind === 'context' || event.kind === 'liquidation') {
      this.known.push({ kind: event.kind, venueId: event.venueId, exchangeTsMs: event.exchangeTsMs });
    }
    if (this.known.length >= 2 * KNOWN_MAX) this.known = this.known.slice(KNOWN_MAX);
    if (event.kind === 'tick') this.forgetOld();
    else if (event.kind !== 'feed_status') this.newest.push(event);
  }

  tail(): LogTail {
    const { lastExchangeMs, feedClockMs, known, openGaps, gaps, newest } = this;
    return { lastExchangeMs, feedClockMs, known, openGaps: openGaps.list(), gaps, newest };
  }

  private follow(status: FeedStatus): void {
    this.openGaps.apply(status);
    if (status.type === 'resynced') this.gaps.set(status.gapId, 'ended');
    if (status.type !== 'gap') return;
    this.gaps.set(status.gapId, status.reason === 'arrived_late' ? 'withdrawn' : status.endMs === 0 ? 'open' : 'ended');
  }

  private forgetOld(): void {
    const fresh = this.newest.findIndex(({ receivedTsMs }) => receivedTsMs >= this.feedClockMs - NEWEST_MS);
    this.newest.splice(0, fresh === -1 ? this.newest.length : fresh);
  }
}
