import type { FeedStatus, MarketEvent } from '../event';

type Gap = Extract<FeedStatus, { type: 'gap' }>;

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

/** Entry that a new connection may repeat, by venue id. */
export interface Identified {
  readonly kind: 'trade' | 'context' | 'liquidation';
  /** '' if the venue sends none; such entries never match. */
  readonly venueId: string;
  readonly exchangeTsMs: number;
}

const KNOWN_MAX = 100_000;

/** Receive-time span that a standby feed may also have received. */
const NEWEST_MS = 60_000;

/** Facts needed to continue the log. */
export interface LogTail {
  /** Newest venue time of a book, trade, context or liquidation; 0 if none. */
  readonly lastExchangeMs: number;
  readonly feedClockMs: number;
  readonly known: readonly Identified[];
  readonly openGaps: readonly Gap[];
  readonly gaps: ReadonlyMap<string, 'open' | 'ended' | 'withdrawn'>;
  readonly newest: readonly MarketEvent[];
}

export const EMPTY_TAIL: LogTail = { lastExchangeMs: 0, feedClockMs: 0, known: [], openGaps: [], gaps: new Map(), newest: [] };

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
