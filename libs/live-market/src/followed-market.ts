import { marketData } from '@market-state/contracts';
import { decodeEvent, type MarketEvent, encodeEvent } from '@market-state/market-data';
import { fromProtoChannel, fromProtoSourceKind, toProtoChannel, toProtoSource } from './proto-names';
import type { ReadVenue } from './read-venue';
import { type BookSync, SymbolMarket } from './symbol-market';
import type { GapSpan } from './gap-spans';

type Frame = marketData.FollowMarketResponse;
const { Channel } = marketData;

const PART = 1_000;

/** Bounded messages from which a follower rebuilds a market that answers identically. */
export function marketFrames(market: SymbolMarket, venue: ReadVenue): Frame[] {
  return [
    startFrame(market, venue),
    ...partsOf(history(market)).map((events): Frame => ({ frame: { $case: 'history', value: { entries: events.map(encoded) } } })),
    ...gapFrames(market),
    { frame: { $case: 'whole', value: {} } },
  ];
}

/** At least one message. */
export function gapFrames({ gaps }: SymbolMarket): Frame[] {
  const partial = !gaps.isWhole;
  const parts = partsOf(gaps.all());
  return (parts.length === 0 ? [[]] : parts).map((part) => ({ frame: { $case: 'gaps', value: { gaps: part.map(toProtoSpan), partial } } }));
}

export function toProtoVenue(venue: ReadVenue): marketData.MarketVenue {
  return {
    ...toProtoSource(venue),
    channels: venue.channels.map(toProtoChannel),
    contractValue: venue.contractValue ?? '',
    bookStalenessMs: venue.stalenessMs('book'),
    tradeStalenessMs: venue.stalenessMs('trade'),
    contextStalenessMs: venue.stalenessMs('context'),
    closingLagMs: venue.closingLagMs,
  };
}

function startFrame(market: SymbolMarket, venue: ReadVenue): Frame {
  const { heard, bookSync, isDisconnected } = market.standing();
  const value = {
    venue: toProtoVenue(venue),
    heard: [...heard].map(([channel, last]) => ({ channel: toProtoChannel(channel), ...last })),
    bookSync,
    disconnected: isDisconnected,
    ...market.clock.standing(),
  };
  return { frame: { $case: 'start', value } };
}

function history({ connected, lastBook, context, tape, liquidations }: SymbolMarket): MarketEvent[] {
  const newest = [connected, lastBook].filter((event) => event !== undefined);
  return [...newest, ...context.events(), ...tape.all(), ...liquidations.all()];
}

function encoded(event: MarketEvent): Buffer {
  return Buffer.from(encodeEvent(event));
}

function toProtoSpan({ gapId, channel, startMs, endMs, isSeam, isWithdrawn = false }: GapSpan): marketData.GapSpan {
  return {
    gapId,
    channel: channel === undefined ? Channel.UNSPECIFIED : toProtoChannel(channel),
    startMs,
    endMs,
    seam: isSeam,
    withdrawn: isWithdrawn,
  };
}

function partsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / PART) }, (_none, part) => all.slice(part * PART, (part + 1) * PART));
}

interface FollowedMarketDeps {
  readonly symbol: string;
  readonly wallNowMs: () => number;
  /** Unreadable entries are skipped, as at the source. */
  readonly onUnreadable: (error: unknown) => void;
}

export class FollowedMarket {
  private market: SymbolMarket | undefined;
  private venue: ReadVenue | undefined;
  private start: marketData.MarketStart | undefined;
  private isWhole = false;
  private ledgerChanges = 0;
  private isLedgerRead = false;
  private before: MarketEvent | undefined;

  constructor(private readonly deps: FollowedMarketDeps) {}

  /** Null while incomplete. */
  current(): { readonly market: SymbolMarket; readonly venue: ReadVenue } | null {
    const { market, venue } = this;
    return this.isWhole && market !== undefined && venue !== undefined ? { market, venue } : null;
  }

  /** Ledger reads made at the same number are still valid. Null while the ledger may lack a reported gap. */
  ledgerRevision(): number | null {
    return this.isWhole && this.isLedgerRead ? this.ledgerChanges : null;
  }

  /** The next message must be a start. */
  forget(): void {
    this.isWhole = false;
    this.market = undefined;
  }

  take({ frame }: marketData.FollowMarketResponse): void {
    switch (frame?.$case) {
      case 'start':
        this.forget();
        this.market = new SymbolMarket(this.deps.symbol, this.deps.wallNowMs);
        this.start = frame.value;
        this.venue = frame.value.venue === undefined ? undefined : venueOf(frame.value.venue);
        return;
      case 'whole':
        if (this.start !== undefined) this.stand(this.start);
        this.isWhole = true;
        this.before = undefined;
        return;
      case 'history':
        return frame.value.entries.forEach((entry) => this.apply(entry));
      case 'entries':
        return frame.value.entries.forEach((entry) => this.applyNext(entry));
      case 'gaps':
        return this.takeGaps(frame.value);
      case 'venue':
        this.venue = venueOf(frame.value);
        return;
      default:
    }
  }

  /** Replayed history changes the clock, channel times and book state. */
  private stand({ heard, bookSync, disconnected, clockMs, silentMs }: marketData.MarketStart): void {
    const seen = heard.flatMap(({ channel, exchangeTsMs, receivedTsMs }) => {
      const name = fromProtoChannel(channel);
      return name === undefined ? [] : [[name, { exchangeTsMs, receivedTsMs }] as const];
    });
    this.market?.stand({ heard: new Map(seen), bookSync: bookSync as BookSync, isDisconnected: disconnected });
    this.market?.clock.stand({ clockMs, silentMs });
  }

  private apply(entry: Uint8Array): MarketEvent | undefined {
    try {
      const event = decodeEvent(entry);
      this.market?.apply(event);
      return event;
    } catch (error) {
      this.deps.onUnreadable(error);
      return undefined;
    }
  }

  /** Notes if the ledger is about to change because of gaps or lost entries. */
  private applyNext(entry: Uint8Array): void {
    const event = this.apply(entry);
    const { before, market } = this;
    if (event !== undefined && market !== undefined) market.followedFrom ??= { epoch: event.epoch, ordinal: event.ordinal };
    const followsOn = event === undefined || before === undefined || (event.epoch === before.epoch && event.ordinal === before.ordinal + 1);
    if (event?.kind === 'feed_status' || !followsOn) this.changeLedger(false);
    this.before = event;
  }

  private changeLedger(isRead: boolean): void {
    this.ledgerChanges += 1;
    this.isLedgerRead = isRead;
  }

  private takeGaps({ gaps, partial }: marketData.MarketGaps): void {
    for (const { gapId, channel, startMs, endMs, seam, withdrawn } of gaps)
      this.market?.takeGap({ gapId, channel: fromProtoChannel(channel), startMs, endMs, isSeam: seam, isWithdrawn: withdrawn });
    if (partial) this.market?.gaps.setPartial();
    this.changeLedger(true);
  }
}

function venueOf(reported: marketData.MarketVenue): ReadVenue {
  const limits = {
    book: reported.bookStalenessMs,
    trade: reported.tradeStalenessMs,
    context: reported.contextStalenessMs,
    liquidation: 0,
    control: 0,
  };
  return {
    venue: reported.venue,
    sourceKind: fromProtoSourceKind(reported.sourceKind),
    channels: reported.channels.map(fromProtoChannel).filter((channel) => channel !== undefined),
    contractValue: reported.contractValue === '' ? undefined : reported.contractValue,
    closingLagMs: reported.closingLagMs,
    stalenessMs: (channel) => limits[channel],
  };
}
