import {
  type BookEvent,
  type Channel,
  channelOf,
  type FeedStatus,
  type FeedStatusEvent,
  type MarketEvent,
  compareEvents,
  type TradeEvent,
} from '@market-state/market-data';
import { ContextValues } from './context-values';
import { type GapSpan, GapSpans } from './gap-spans';
import { LiquidationWindow } from './liquidation-window';
import { type LogPosition, isAfter } from './log-position';

/** The feed then counts as down; ticks come every 250 ms. */
const SILENCE_MS = 1_000;

/**
 * Newest receive time of entries, ticks included. After a second of silence it advances with the wall clock; otherwise
 * a stopped feed would look fresh.
 */
export class FeedClock {
  private heardMs: number | undefined;
  private heardAtMs = 0;

  constructor(private readonly wallNowMs: () => number) {}

  heard(receivedTsMs: number): void {
    this.heardMs = Math.max(receivedTsMs, this.heardMs ?? receivedTsMs);
    this.heardAtMs = this.wallNowMs();
  }

  /** State for setting another clock. */
  standing(): { readonly clockMs: number; readonly silentMs: number } {
    return { clockMs: this.heardMs ?? 0, silentMs: this.heardMs === undefined ? 0 : this.wallNowMs() - this.heardAtMs };
  }

  stand({ clockMs, silentMs }: { readonly clockMs: number; readonly silentMs: number }): void {
    this.heardMs = clockMs === 0 ? undefined : clockMs;
    this.heardAtMs = this.wallNowMs() - silentMs;
  }

  /** Milliseconds since the epoch; undefined before the first entry. */
  nowMs(): number | undefined {
    if (this.heardMs === undefined) return undefined;
    const silentMs = this.wallNowMs() - this.heardAtMs;
    return silentMs > SILENCE_MS ? this.heardMs + silentMs : this.heardMs;
  }

  /** Never below 0. */
  ageMs(exchangeTsMs: number): number {
    return Math.max(0, (this.nowMs() ?? exchangeTsMs) - exchangeTsMs);
  }
}

/** Entries received later than this change the settled past. */
export const SETTLED_MS = 5_000;

type VenueFacts = Extract<FeedStatus, { type: 'connected' }>;

type ConnectedEvent = FeedStatusEvent & { readonly status: VenueFacts };

interface LastSeen {
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
}

/** `degraded`: a gap occurred and no book has come since. */
export type BookSync = 'in_sync' | 'resyncing' | 'degraded';

/** State in addition to its newest entries. */
interface MarketStatus {
  readonly heard: ReadonlyMap<Channel, LastSeen>;
  readonly bookSync: BookSync;
  /** Not yet reconnected. */
  readonly isDisconnected: boolean;
}

export const TAPE_LENGTH = 1_000;
const SLACK = 1_000;

/** Ordered by exchange time, pass and venue id regardless of arrival; deduplicated. */
export class TradeTape {
  /** Oldest first. */
  private trades: TradeEvent[] = [];
  private newestPosition: LogPosition | undefined;
  private disordered: LogPosition | undefined;

  add(trade: TradeEvent): void {
    let index = this.trades.length;
    let order = -1;
    while (index > 0 && (order = compareEvents(this.trades[index - 1] ?? trade, trade)) > 0) index -= 1;
    const isNewest = index === this.trades.length && order !== 0;
    const followsOn = this.newestPosition === undefined || isAfter(trade, this.newestPosition);
    if (followsOn) this.newestPosition = trade;
    // If log and time order of two trades differ, the later one in the log came late.
    if (!isNewest || !followsOn) this.disordered = this.newestPosition;
    if (index > 0 && order === 0) return;
    this.trades.splice(index, 0, trade);
    if (this.trades.length > TAPE_LENGTH + SLACK) this.trades = this.trades.slice(-TAPE_LENGTH);
  }

  /** At most `TAPE_LENGTH`, newest first. */
  newest(limit: number): TradeEvent[] {
    return this.trades.slice(-Math.min(limit, TAPE_LENGTH)).reverse();
  }

  /** Oldest first. */
  all(): readonly TradeEvent[] {
    return this.trades;
  }

  get disorderedTo(): LogPosition | undefined {
    return this.disordered;
  }

  get length(): number {
    return this.trades.length;
  }
}

export class SymbolMarket {
  readonly tape = new TradeTape();
  readonly context = new ContextValues();
  readonly liquidations = new LiquidationWindow();
  readonly gaps = new GapSpans();
  readonly clock: FeedClock;
  /** Position since which no entry is missing; undefined if none ever was. */
  followedFrom: LogPosition | undefined;
  private book: BookEvent | undefined;
  private connection: ConnectedEvent | undefined;
  private venueName: string | undefined;
  private disconnected = false;
  private readonly seen = new Map<Channel, LastSeen>();
  private sync: BookSync = 'resyncing';
  private changeTotal = 0;
  private lateTotal = 0;
  private newestControlMs: number | undefined;

  constructor(
    readonly symbol: string,
    wallNowMs: () => number,
  ) {
    this.clock = new FeedClock(wallNowMs);
  }

  apply(event: MarketEvent): void {
    this.changeTotal += 1;
    const channel = channelOf(event);
    this.venueName = event.venue;
    this.clock.heard(event.receivedTsMs);
    if (channel === 'control') this.newestControlMs = Math.max(event.exchangeTsMs, this.newestControlMs ?? 0);
    else this.see(channel, event);
    switch (event.kind) {
      case 'book':
        this.book = event;
        this.sync = 'in_sync';
        return;
      case 'trade':
        this.tape.add(event);
        return;
      case 'tick':
        this.liquidations.forgetBefore(event.feedClockMs);
        return;
      case 'feed_status':
        this.gaps.apply(event);
        if (isConnected(event)) this.connection = event;
        this.applyStatus(event.status);
        return;
      case 'context':
        this.context.apply(event);
        return;
      case 'liquidation':
        this.liquidations.add(event);
        return;
    }
  }

  /** Answers made at the same number and clock time are still valid. */
  get changes(): number {
    return this.changeTotal;
  }

  /** Entries received `SETTLED_MS` or more after their exchange time. */
  get lateEntries(): number {
    return this.lateTotal;
  }

  /** Applies a gap from the ledger. */
  takeGap(gap: GapSpan): void {
    this.changeTotal += 1;
    this.gaps.take(gap);
  }

  standing(): MarketStatus {
    return { heard: this.seen, bookSync: this.sync, isDisconnected: this.disconnected };
  }

  stand({ heard, bookSync, isDisconnected }: MarketStatus): void {
    this.changeTotal += 1;
    this.seen.clear();
    for (const [channel, last] of heard) this.seen.set(channel, last);
    this.sync = bookSync;
    this.disconnected = isDisconnected;
  }

  /** Exchange time of the newest control entry: everything received before it is in the log. */
  get controlMs(): number | undefined {
    return this.newestControlMs;
  }

  /** Newest `connected` entry. */
  get connected(): FeedStatusEvent | undefined {
    return this.connection;
  }

  get lastBook(): BookEvent | undefined {
    return this.book;
  }

  /** Undefined before the first entry. */
  get venue(): string | undefined {
    return this.venueName;
  }

  /** Undefined before the first `connected` entry. */
  get facts(): VenueFacts | undefined {
    return this.connection?.status;
  }

  /** Not yet reconnected. */
  get isDisconnected(): boolean {
    return this.disconnected;
  }

  lastSeen(channel: Channel): LastSeen | undefined {
    return this.seen.get(channel);
  }

  get bookSync(): BookSync {
    return this.sync;
  }

  private see(channel: Channel, { exchangeTsMs, receivedTsMs }: MarketEvent): void {
    if (exchangeTsMs <= (this.clock.nowMs() ?? receivedTsMs) - SETTLED_MS) this.lateTotal += 1;
    const before = this.seen.get(channel);
    if (before === undefined || exchangeTsMs >= before.exchangeTsMs) this.seen.set(channel, { exchangeTsMs, receivedTsMs });
  }

  private applyStatus(status: FeedStatus): void {
    switch (status.type) {
      case 'connected':
        this.disconnected = false;
        this.sync = 'resyncing';
        return;
      case 'disconnected':
        this.disconnected = true;
        this.sync = 'resyncing';
        return;
      case 'seam':
        this.sync = 'resyncing';
        return;
      case 'gap':
        if (status.reason !== 'arrived_late' && (status.channel ?? 'book') === 'book') this.sync = 'degraded';
        return;
      case 'resynced':
        return;
    }
  }
}

function isConnected(event: FeedStatusEvent): event is ConnectedEvent {
  return event.status.type === 'connected';
}
