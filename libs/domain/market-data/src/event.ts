export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Windows end at epoch multiples; recordings are shifted, and synthetic logs start, only at such multiples. */
export const WINDOW_MS = 10_000;

/** In the order of application at equal exchange time. */
export const CHANNELS = ['book', 'trade', 'context', 'liquidation', 'control'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Channels that stay active while a market is open. Liquidations can be silent for hours. */
export type TimedChannel = Extract<Channel, 'book' | 'trade' | 'context'>;

export type SourceKind = 'live' | 'recorded' | 'simulated';

/**
 * Price level in plain decimal notation without trailing zeros. `size` is in base units; `venueSize` is the contract
 * quantity as sent, on inverse contracts only.
 */
export interface BookLevel {
  readonly price: string;
  readonly size: string;
  readonly venueSize?: string;
}

interface EventEnvelope {
  /** Such as `binance-coinm`. */
  readonly venue: string;
  readonly symbol: string;
  /** Pass of a looped recording, from 1; 0 on a live feed. */
  readonly pass: number;
  /** Venue's own id, or ''. */
  readonly venueId: string;
  /** Matching engine time, otherwise event time, otherwise receive time (flagged). */
  readonly exchangeTsMs: number;
  readonly exchangeTsIsReceiveTime: boolean;
  readonly receivedTsMs: number;
  readonly ordinal: number;
  /** Raised by one each time the stored stream was empty or behind. */
  readonly epoch: number;
}

/** Up to 25 best levels per side at the end of a 250 ms bucket of exchange time, best first. */
export interface BookEvent extends EventEnvelope {
  readonly kind: 'book';
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

export interface TradeEvent extends EventEnvelope {
  readonly kind: 'trade';
  readonly price: string;
  /** Base units. */
  readonly size: string;
  readonly venueSize?: string;
  readonly aggressorSide: 'buy' | 'sell';
}

/**
 * Contract context. Values are stored as sent, including trailing zeros (`100.0`); fields not sent are absent, never
 * zero.
 */
export interface ContextEvent extends EventEnvelope {
  readonly kind: 'context';
  /**
   * Hourly rate: as sent if payments are hourly, otherwise the quotient of the two fields below; absent if the interval
   * is unknown.
   */
  readonly fundingRate?: string;
  /** Base units. */
  readonly openInterest?: string;
  readonly markPrice?: string;
  readonly oraclePrice?: string;
  readonly midPrice?: string;
  /** Quote currency. */
  readonly dayVolume?: string;
  /** Rate per payment as sent; absent if payments are known to be hourly. */
  readonly venueFundingRate?: string;
  /** Hours between payments; only with `venueFundingRate`, if known. */
  readonly fundingIntervalHours?: number;
}

/** Forced close of a position; size in base units. */
export interface LiquidationEvent extends EventEnvelope {
  readonly kind: 'liquidation';
  readonly positionSide: 'long' | 'short';
  readonly price: string;
  readonly size: string;
  readonly venueSize?: string;
  readonly provenance: 'venue_reported' | 'proxy';
}

/** Feed clock, logged every 250 ms; equals `exchangeTsMs`. */
export interface TickEvent extends EventEnvelope {
  readonly kind: 'tick';
  readonly feedClockMs: number;
}

export interface FeedStatusEvent extends EventEnvelope {
  readonly kind: 'feed_status';
  readonly status: FeedStatus;
}

export type FeedStatus =
  | {
      readonly type: 'connected';
      /** Channels that the venue provides, without `control`; unlisted ones are missing, not zero. */
      readonly channels: readonly Channel[];
      readonly bookStalenessMs: number;
      readonly tradeStalenessMs: number;
      readonly contextStalenessMs: number;
      /** Window T closes at the first tick at or past T plus this. */
      readonly closingLagMs: number;
      readonly sourceKind: SourceKind;
    }
  | { readonly type: 'disconnected'; readonly reason: string }
  /** Without `channel`: all channels. `endMs` is 0 while open. */
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
 * Overload and oversized frames are `overflow`. `arrived_late` withdraws the gap with the same id: everything missing
 * arrived after all.
 */
export type GapReason = 'sequence_gap' | 'log_lost' | 'feed_down' | 'disconnected' | 'overflow' | 'not_listed' | 'arrived_late';

export type MarketEvent = BookEvent | TradeEvent | ContextEvent | LiquidationEvent | TickEvent | FeedStatusEvent;
export type EventKind = MarketEvent['kind'];

/** Ticks and feed status belong to `control`. */
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

/** Enum numbers in `marketstate.marketdata.v1`; 0 is unspecified. */
export const CHANNEL_CODES: Readonly<Record<Channel, number>> = { book: 1, trade: 2, context: 3, liquidation: 4, control: 5 };
export const AGGRESSOR_CODES: Readonly<Record<TradeEvent['aggressorSide'], number>> = { buy: 1, sell: 2 };
export const POSITION_CODES: Readonly<Record<LiquidationEvent['positionSide'], number>> = { long: 1, short: 2 };
export const PROVENANCE_CODES: Readonly<Record<LiquidationEvent['provenance'], number>> = { venue_reported: 1, proxy: 2 };
export const SOURCE_KIND_CODES: Readonly<Record<SourceKind, number>> = { live: 1, recorded: 2, simulated: 3 };

export const CHANNEL_NAMES: readonly (Channel | undefined)[] = [undefined, ...CHANNELS];
export const AGGRESSOR_NAMES: readonly (TradeEvent['aggressorSide'] | undefined)[] = [undefined, 'buy', 'sell'];
export const POSITION_NAMES: readonly (LiquidationEvent['positionSide'] | undefined)[] = [undefined, 'long', 'short'];
export const PROVENANCE_NAMES: readonly (LiquidationEvent['provenance'] | undefined)[] = [undefined, 'venue_reported', 'proxy'];
export const SOURCE_KIND_NAMES: readonly (SourceKind | undefined)[] = [undefined, 'live', 'recorded', 'simulated'];
export const GAP_REASONS: readonly GapReason[] = [
  'sequence_gap',
  'log_lost',
  'feed_down',
  'disconnected',
  'overflow',
  'not_listed',
  'arrived_late',
];
