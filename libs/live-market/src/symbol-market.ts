import {
  type BookEvent,
  type Channel,
  channelOf,
  type FeedStatus,
  type FeedStatusEvent,
  type MarketEvent,
} from '@market-state/market-data';
import { ContextValues } from './context-values';
import { type GapSpan, GapSpans } from './gap-spans';
import { LiquidationWindow } from './liquidation-window';
import type { LogPlace } from './log-place';
import { TradeTape } from './trade-tape';

/** Silence after which the feed counts as gone; a tick comes every 250 ms. */
const SILENCE_MS = 1_000;

/**
 * The feed's clock as its entries tell it: the newest receive time, a tick's among them. A feed that stops would stand still and
 * make everything look fresh, so after a second of silence the clock goes on at the pace of the wall clock.
 */
export class FeedClock {
  private heardMs: number | undefined;
  private heardAtMs = 0;

  constructor(private readonly wallNowMs: () => number) {}

  /** An entry was received at this time of the feed. */
  heard(receivedTsMs: number): void {
    this.heardMs = Math.max(receivedTsMs, this.heardMs ?? receivedTsMs);
    this.heardAtMs = this.wallNowMs();
  }

  /** What was heard last and how long ago, for a clock that is to show the same. */
  standing(): { readonly clockMs: number; readonly silentMs: number } {
    return { clockMs: this.heardMs ?? 0, silentMs: this.heardMs === undefined ? 0 : this.wallNowMs() - this.heardAtMs };
  }

  /** Shows what another clock shows. */
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

  /** Age of something by this clock, milliseconds, never below 0. */
  ageMs(exchangeTsMs: number): number {
    return Math.max(0, (this.nowMs() ?? exchangeTsMs) - exchangeTsMs);
  }
}

/** What happened longer than this before it was received changes the past, milliseconds: nothing was settled before. */
export const SETTLED_MS = 5_000;

/** What the venue reports, from the newest `connected` entry. */
type VenueFacts = Extract<FeedStatus, { type: 'connected' }>;

type ConnectedEvent = FeedStatusEvent & { readonly status: VenueFacts };

/** When a channel was last heard, milliseconds since the epoch. */
interface LastSeen {
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
}

/** Whether the book follows the venue without a hole; `degraded`: a gap was met and no book came since. */
export type BookSync = 'in_sync' | 'resyncing' | 'degraded';

/** How a market stands, beside what its newest entries say. */
interface MarketStanding {
  readonly heard: ReadonlyMap<Channel, LastSeen>;
  readonly bookSync: BookSync;
  /** The feed has told that its connection is lost and not yet that it is back. */
  readonly isDisconnected: boolean;
}

/** The latest of one symbol, read from its log. */
export class SymbolMarket {
  readonly tape = new TradeTape();
  readonly context = new ContextValues();
  readonly liquidations = new LiquidationWindow();
  /** Gaps of the last 24 h, as the log tells them. */
  readonly gaps = new GapSpans();
  readonly clock: FeedClock;
  /** Since this place of its log it has heard every entry; undefined where it has heard all there ever was, or none yet. */
  followedFrom: LogPlace | undefined;
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

  /** Takes the next entry of the log. */
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

  /** How often it changed: what was answered at the same number and the same instant of the clock holds still. */
  get changes(): number {
    return this.changeTotal;
  }

  /** How many entries were about an instant `SETTLED_MS` before they were received, or earlier. */
  get lateEntries(): number {
    return this.lateTotal;
  }

  /** A gap as the ledger has it. */
  takeGap(gap: GapSpan): void {
    this.changeTotal += 1;
    this.gaps.take(gap);
  }

  /** How it stands, beside what its newest entries say. */
  standing(): MarketStanding {
    return { heard: this.seen, bookSync: this.sync, isDisconnected: this.disconnected };
  }

  /** Stands as another did. */
  stand({ heard, bookSync, isDisconnected }: MarketStanding): void {
    this.changeTotal += 1;
    this.seen.clear();
    for (const [channel, last] of heard) this.seen.set(channel, last);
    this.sync = bookSync;
    this.disconnected = isDisconnected;
  }

  /** Newest exchange time of an entry of the feed itself, milliseconds since the epoch: what was received before it is in the log. */
  get controlMs(): number | undefined {
    return this.newestControlMs;
  }

  /** The newest `connected` entry. */
  get connected(): FeedStatusEvent | undefined {
    return this.connection;
  }

  get lastBook(): BookEvent | undefined {
    return this.book;
  }

  /** Of the newest entry; undefined before the first. */
  get venue(): string | undefined {
    return this.venueName;
  }

  /** Undefined until a `connected` entry was read. */
  get facts(): VenueFacts | undefined {
    return this.connection?.status;
  }

  /** The feed has told that its connection is lost and not yet that it is back. */
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
