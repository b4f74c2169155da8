import type { FeedStatus, MarketEvent } from '../event';
import type { Identified } from './live-log';
import { OpenGaps } from './open-gaps';

/** As many ids are remembered as a running feed does, at least. */
const KNOWN_MAX = 100_000;

/** What the end of a live symbol's log says to the feed that carries it on. */
export interface LogTail {
  /** Newest exchange time of a book, trade, context or liquidation that the venue timed; 0 where there is none. */
  readonly lastExchangeMs: number;
  /** Receive time of the last entry. */
  readonly feedClockMs: number;
  /** What the venue gave an id, oldest first: it is not logged again. */
  readonly known: readonly Identified[];
  readonly openGaps: readonly Extract<FeedStatus, { type: 'gap' }>[];
}

/** Reads it from the entries of a log, oldest first. */
export class LogTailScan {
  private readonly gaps = new OpenGaps();
  private known: Identified[] = [];
  private lastExchangeMs = 0;
  private feedClockMs = 0;

  accept(event: MarketEvent): void {
    this.feedClockMs = event.receivedTsMs;
    if (event.kind === 'feed_status') this.gaps.apply(event.status);
    else if (event.kind !== 'tick' && !event.exchangeTsIsReceiveTime)
      this.lastExchangeMs = Math.max(this.lastExchangeMs, event.exchangeTsMs);
    if (event.kind === 'trade' || event.kind === 'context' || event.kind === 'liquidation') {
      this.known.push({ kind: event.kind, venueId: event.venueId, exchangeTsMs: event.exchangeTsMs });
    }
    if (this.known.length >= 2 * KNOWN_MAX) this.known = this.known.slice(KNOWN_MAX);
  }

  tail(): LogTail {
    const { lastExchangeMs, feedClockMs, known, gaps } = this;
    return { lastExchangeMs, feedClockMs, known, openGaps: gaps.list() };
  }
}
