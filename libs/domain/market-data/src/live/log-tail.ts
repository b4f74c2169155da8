import type { FeedStatus, MarketEvent, ContextEvent, LiquidationEvent, TradeEvent } from '../event';
import type { ContextFacts, PlacedEvent } from '../log-writer';

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

type HeardEvent = Exclude<MarketEvent, { kind: 'tick' | 'feed_status' }>;

type BookIdentity = Pick<TradeEvent, 'venueId' | 'exchangeTsMs'>;

type LiquidationFacts = Pick<LiquidationEvent, 'venueId' | 'exchangeTsMs' | 'positionSide' | 'price' | 'size'>;

/**
 * Matches events by venue id, otherwise by content and time. Query in receive order; each logged event matches once.
 */
export class LoggedMarket {
  private readonly ids: ReadonlySet<string>;
  private readonly bookIds: ReadonlySet<string>;
  private readonly lastBookMs: number;
  private readonly contextsToMs: number;
  private awaited: ContextEvent | undefined;
  private readonly liquidations = new Map<string, number>();

  constructor(
    heard: readonly PlacedEvent[],
    tail: LogTail,
    private readonly closingLagMs: number,
  ) {
    this.ids = new Set(tail.known.map(({ kind, venueId }) => `${kind} ${venueId}`));
    const books = tail.newest.filter(({ kind }) => kind === 'book');
    this.bookIds = new Set(books.map(({ venueId }) => venueId));
    this.lastBookMs = books.reduce((latest, { exchangeTsMs }) => Math.max(latest, exchangeTsMs), 0);
    const last = tail.newest.filter(isNamelessContext).at(-1);
    const contexts = heard.map(({ event }) => event).filter(isNamelessContext);
    const nearest = nearestOf(
      contexts.filter((event) => this.isSame(event, last)),
      last,
    );
    this.awaited = nearest === undefined ? last : undefined;
    this.contextsToMs = nearest?.receivedTsMs ?? Math.min(tail.feedClockMs, last?.receivedTsMs ?? tail.feedClockMs);
    for (const event of tail.newest) {
      if (event.kind !== 'liquidation' || event.venueId !== '') continue;
      this.liquidations.set(liquidationKey(event), (this.liquidations.get(liquidationKey(event)) ?? 0) + 1);
    }
  }

  has(event: HeardEvent): boolean {
    switch (event.kind) {
      case 'book':
        return this.hasBook(event);
      case 'trade':
        return this.ids.has(`trade ${event.venueId}`);
      case 'context':
        if (event.venueId !== '') return this.ids.has(`context ${event.venueId}`);
        return event.receivedTsMs <= this.contextsToMs || this.hasContext(event, event.receivedTsMs);
      case 'liquidation':
        return event.venueId === '' ? this.hasLiquidation(event) : this.ids.has(`liquidation ${event.venueId}`);
    }
  }

  /** Books older than the log's newest are obsolete. */
  hasBook({ venueId, exchangeTsMs }: BookIdentity): boolean {
    return exchangeTsMs < this.lastBookMs || this.bookIds.has(venueId);
  }

  hasContext(facts: ContextFacts, receivedMs: number): boolean {
    const { awaited } = this;
    if (awaited === undefined || receivedMs > awaited.receivedTsMs + this.closingLagMs || keyOf(facts) !== keyOf(awaited)) return false;
    this.awaited = undefined;
    return true;
  }

  hasLiquidation(facts: LiquidationFacts): boolean {
    const key = liquidationKey(facts);
    const left = this.liquidations.get(key) ?? 0;
    if (left > 0) this.liquidations.set(key, left - 1);
    return left > 0;
  }

  private isSame(event: ContextEvent, last: ContextEvent | undefined): boolean {
    return last !== undefined && Math.abs(event.receivedTsMs - last.receivedTsMs) <= this.closingLagMs && keyOf(event) === keyOf(last);
  }
}

function nearestOf(events: readonly ContextEvent[], to: ContextEvent | undefined): ContextEvent | undefined {
  const apartMs = ({ receivedTsMs }: ContextEvent): number => Math.abs(receivedTsMs - (to?.receivedTsMs ?? 0));
  return events.reduce<ContextEvent | undefined>(
    (best, event) => (best === undefined || apartMs(event) <= apartMs(best) ? event : best),
    undefined,
  );
}

function isNamelessContext(event: MarketEvent): event is ContextEvent {
  return event.kind === 'context' && event.venueId === '';
}

function keyOf({ fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume }: ContextFacts): string {
  return JSON.stringify([
    [fundingRate, openInterest, markPrice],
    [oraclePrice, midPrice, dayVolume],
  ]);
}

function liquidationKey({ exchangeTsMs, positionSide, price, size }: LiquidationFacts): string {
  return JSON.stringify([exchangeTsMs, positionSide, price, size]);
}

interface Junction {
  readonly wholeToMs: number | undefined;
  /** No gap: connections and all-channel gaps are taken from the standby. */
  readonly isJoined: boolean;
}

export function lacking(heard: readonly PlacedEvent[], tail: LogTail, logged: LoggedMarket, junction: Junction): PlacedEvent[] {
  const isWanted = wantedStatus(heard, tail, junction);
  return heard.filter(
    ({ event }) => event.kind === 'tick' || (event.kind === 'feed_status' ? isWanted(event.status, event.ordinal) : !logged.has(event)),
  );
}

export function gapsToReport(before: readonly Gap[], heard: readonly PlacedEvent[], tail: LogTail, junction: Junction): readonly Gap[] {
  const isWanted = wantedStatus(heard, tail, junction);
  return before.filter((gap) => gap.channel !== undefined && isWanted(gap, 0));
}

/** Selects unknown gaps that extend beyond the log's own data, and ends of its open gaps. */
function wantedStatus(
  heard: readonly PlacedEvent[],
  tail: LogTail,
  { wholeToMs, isJoined }: Junction,
): (status: FeedStatus, ordinal: number) => boolean {
  const statuses = heard.flatMap(({ event }) => (event.kind === 'feed_status' ? [event] : []));
  const ended = new Map<string, number>();
  for (const { status } of statuses)
    if (status.type === 'resynced' || (status.type === 'gap' && status.endMs !== 0)) ended.set(status.gapId, status.endMs);
  const isOver = (gapId: string): boolean => wholeToMs !== undefined && (ended.get(gapId) ?? Infinity) <= wholeToMs;
  const connectionsFrom = firstConnectionEntry(statuses, (gap) => !tail.gaps.has(gap.gapId) && !isOver(gap.gapId));

  return (status, ordinal) => {
    switch (status.type) {
      case 'connected':
      case 'disconnected':
        return isJoined && ordinal >= connectionsFrom;
      case 'seam':
        return false;
      case 'gap':
      case 'resynced': {
        if (status.channel === undefined && !isJoined) return false;
        const logged = tail.gaps.get(status.gapId);
        if (logged === undefined) return !isOver(status.gapId);
        if (status.type === 'gap' && status.reason === 'arrived_late') return logged !== 'withdrawn';
        return logged === 'open' && (status.type === 'resynced' || status.endMs !== 0);
      }
    }
  };
}

/** First connection entry the log needs: the disconnect that opened the first gap unknown to it. */
function firstConnectionEntry(
  statuses: readonly { readonly status: FeedStatus; readonly ordinal: number }[],
  isUnreported: (gap: Gap) => boolean,
): number {
  let lossOrdinal: number | undefined;
  for (const { status, ordinal } of statuses) {
    if (status.type === 'disconnected') lossOrdinal = ordinal;
    else if (status.type === 'connected') lossOrdinal = undefined;
    else if (status.type === 'gap' && status.channel === undefined && status.endMs === 0 && isUnreported(status))
      return lossOrdinal ?? ordinal;
  }
  return Infinity;
}
