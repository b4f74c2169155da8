/**
 * The window that one packet speaks of, milliseconds of exchange time. Windows end at multiples of it since the epoch, whatever
 * the venue; recordings are moved in time, and synthetic logs begin, at such multiples alone.
 */
export const WINDOW_MS = 10_000;

/** Channels of the event log, in the order in which events of equal exchange time are applied. */
export const CHANNELS = ['book', 'trade', 'context', 'liquidation', 'control'] as const;
/** Where an event belongs; gaps and their ends are told by channel. */
export type Channel = (typeof CHANNELS)[number];

/** Channels whose messages keep coming while a market is open. Forced closes may stay away for hours. */
export type TimedChannel = Extract<Channel, 'book' | 'trade' | 'context'>;

/** What kind of source plays the feed. */
export type SourceKind = 'live' | 'recorded' | 'simulated';

/**
 * One price level. Decimal strings in plain notation without trailing zeros.
 * `size` is in base units (the coin); `venueSize` is the quantity as the venue sent it (contracts), on inverse contracts only.
 */
export interface BookLevel {
  readonly price: string;
  readonly size: string;
  readonly venueSize?: string;
}

/** What every log entry carries. Times are milliseconds since the epoch, UTC. */
interface EventEnvelope {
  /** Venue, lower case, for example `binance-coinm`. */
  readonly venue: string;
  /** `<BASE>USD-PERP`. */
  readonly symbol: string;
  /** Playback pass of a looped recording, rising from 1; 0 on a live feed. */
  readonly pass: number;
  /** The venue's own id, or '' where it gives none. */
  readonly venueId: string;
  /** The matching engine's time where the venue sends one, else its event time, else the receive time (flagged). */
  readonly exchangeTsMs: number;
  readonly exchangeTsIsReceiveTime: boolean;
  /** Receive time by the feed's clock. */
  readonly receivedTsMs: number;
  /** Position in the symbol's log, rising by 1 from 1. */
  readonly ordinal: number;
  /** Raised by one each time the stored stream was found empty or behind. */
  readonly epoch: number;
}

/** The best levels at the end of a 250 ms bucket of exchange time, at most 25 a side, best first. */
export interface BookEvent extends EventEnvelope {
  readonly kind: 'book';
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** One trade. Price and size are decimal strings; `venueSize` as on a level of the book. */
export interface TradeEvent extends EventEnvelope {
  readonly kind: 'trade';
  readonly price: string;
  /** Base units. */
  readonly size: string;
  readonly venueSize?: string;
  /** Who crossed the spread. */
  readonly aggressorSide: 'buy' | 'sell';
}

/**
 * Contract context; a field the venue did not send is absent, never zero. Decimal strings: what the venue sent is kept to the last
 * digit, trailing zeros too (`100.0`), since it is not only reckoned with but told.
 */
export interface ContextEvent extends EventEnvelope {
  readonly kind: 'context';
  /** Per hour: as sent where the venue pays by the hour, else the quotient of the two fields below; absent without an interval. */
  readonly fundingRate?: string;
  /** Base units. */
  readonly openInterest?: string;
  readonly markPrice?: string;
  readonly oraclePrice?: string;
  readonly midPrice?: string;
  /** Quote currency. */
  readonly dayVolume?: string;
  /** The rate of one payment as sent; there only where payments are not known to be an hour apart. */
  readonly venueFundingRate?: string;
  /** Whole hours between payments; there with `venueFundingRate` alone, where they are known. */
  readonly fundingIntervalHours?: number;
}

/**
 * A position that was closed by force. Price and size are decimal strings, the size in base units; `venueSize` as on a level of the book.
 */
export interface LiquidationEvent extends EventEnvelope {
  readonly kind: 'liquidation';
  /** The position side that was liquidated. */
  readonly positionSide: 'long' | 'short';
  readonly price: string;
  readonly size: string;
  readonly venueSize?: string;
  readonly provenance: 'venue_reported' | 'proxy';
}

/** The feed clock at this place of the log, every 250 ms. `exchangeTsMs` equals it. */
export interface TickEvent extends EventEnvelope {
  readonly kind: 'tick';
  readonly feedClockMs: number;
}

/** The feed's connection and health. */
export interface FeedStatusEvent extends EventEnvelope {
  readonly kind: 'feed_status';
  readonly status: FeedStatus;
}

/**
 * What the feed says of itself: that it is connected and what is to be held against its channels, that it is not, that entries are
 * missing over a span, that they come again, or that one pass of a recording follows another. Spans and limits are milliseconds.
 */
export type FeedStatus =
  | {
      readonly type: 'connected';
      /** Channels this venue reports; a channel not listed is missing, never zero. `control` is not listed. */
      readonly channels: readonly Channel[];
      readonly bookStalenessMs: number;
      readonly tradeStalenessMs: number;
      readonly contextStalenessMs: number;
      /** A window T closes at the first tick whose clock is at or past T plus this. */
      readonly closingLagMs: number;
      readonly sourceKind: SourceKind;
    }
  | { readonly type: 'disconnected'; readonly reason: string }
  /** `channel` absent: all channels. `endMs` 0: still open. */
  | {
      readonly type: 'gap';
      readonly gapId: string;
      readonly channel?: Channel;
      readonly startMs: number;
      readonly endMs: number;
      readonly reason: GapReason;
    }
  | {
      readonly type: 'resynced';
      readonly gapId: string;
      readonly channel?: Channel;
      readonly startMs: number;
      readonly endMs: number;
    }
  | { readonly type: 'seam'; readonly gapId: string; readonly startMs: number; readonly endMs: number };

/**
 * Why entries are missing: the venue's ids did not follow each other, the stored log was lost, the feed did not run, the connection to the
 * venue was lost, more came than could be taken, a frame was too large to be read, or the venue does not list the instrument.
 * `arrived_late` withdraws the gap of its id: all that was missing came after all, and nothing is missing in its span.
 */
export type GapReason = 'sequence_gap' | 'log_lost' | 'feed_down' | 'disconnected' | 'overflow' | 'not_listed' | 'arrived_late';

/** One entry of a symbol's log. */
export type MarketEvent = BookEvent | TradeEvent | ContextEvent | LiquidationEvent | TickEvent | FeedStatusEvent;
/** What tells the entries apart. */
export type EventKind = MarketEvent['kind'];

/** The channel an event belongs to: ticks and feed status are `control`. */
export function channelOf(event: Pick<MarketEvent, 'kind'>): Channel {
  switch (event.kind) {
    case 'book':
    case 'trade':
    case 'context':
    case 'liquidation':
      return event.kind;
    case 'tick':
    case 'feed_status':
      return 'control';
  }
}
