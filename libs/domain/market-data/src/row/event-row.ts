import type {
  Channel,
  EventKind,
  GapReason,
  LiquidationEvent,
  SourceKind,
  TradeEvent,
  BookEvent,
  BookLevel,
  FeedStatus,
  MarketEvent,
} from '../event';
import { readMarket } from '../market';

export const EVENT_ROW_SCHEMA = 'market_state_row.v1';

/** `[price, size]`, plus the venue's quantity on inverse contracts. Decimal strings; `size` in base units. */
type LevelRow = readonly [price: string, size: string] | readonly [price: string, size: string, venueSize: string];

/** Times are epoch milliseconds. */
interface RowEnvelope {
  readonly schema: typeof EVENT_ROW_SCHEMA;
  readonly kind: EventKind;
  readonly venue: string;
  readonly symbol: string;
  readonly pass: number;
  readonly venue_id: string;
  readonly exchange_ts_ms: number;
  readonly exchange_ts_is_receive_time: boolean;
  readonly received_ts_ms: number;
  readonly ordinal: number;
  readonly epoch: number;
}

/** Best levels of a 250 ms bucket, at most 25 per side, best first. */
interface BookRow extends RowEnvelope {
  readonly kind: 'book';
  readonly bids: readonly LevelRow[];
  readonly asks: readonly LevelRow[];
  /** Present if the best prices are equal; the spread is then 0. */
  readonly locked_book?: true;
}

/** Decimal strings; `size` in base units, `venue_size` as sent, on inverse contracts only. */
interface TradeRow extends RowEnvelope {
  readonly kind: 'trade';
  readonly price: string;
  readonly size: string;
  readonly venue_size?: string;
  readonly aggressor_side: TradeEvent['aggressorSide'];
}

/**
 * Decimal strings as sent; missing values are omitted. Hourly funding, open interest in base units, day volume in quote
 * currency; venue rate and interval if payments are not hourly.
 */
interface ContextRow extends RowEnvelope {
  readonly kind: 'context';
  readonly funding_rate?: string;
  readonly open_interest?: string;
  readonly mark_price?: string;
  readonly oracle_price?: string;
  readonly mid_price?: string;
  readonly day_volume?: string;
  readonly venue_funding_rate?: string;
  readonly funding_interval_hours?: number;
}

/** Units as in `TradeRow`. */
interface LiquidationRow extends RowEnvelope {
  readonly kind: 'liquidation';
  readonly position_side: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly size: string;
  readonly venue_size?: string;
  readonly provenance: LiquidationEvent['provenance'];
}

interface TickRow extends RowEnvelope {
  readonly kind: 'tick';
  readonly feed_clock_ms: number;
}

interface FeedStatusRow extends RowEnvelope {
  readonly kind: 'feed_status';
  readonly status: StatusRow;
}

/** Feed status. `_ms` fields are durations in `connected`, otherwise epoch times. */
type StatusRow =
  | {
      readonly type: 'connected';
      readonly channels: readonly Channel[];
      readonly book_staleness_ms: number;
      readonly trade_staleness_ms: number;
      readonly context_staleness_ms: number;
      readonly closing_lag_ms: number;
      readonly source_kind: SourceKind;
    }
  | { readonly type: 'disconnected'; readonly reason: string }
  | {
      readonly type: 'gap';
      readonly gap_id: string;
      /** null: all channels. */
      readonly channel: Channel | null;
      readonly start_ms: number;
      readonly end_ms: number;
      readonly reason: GapReason;
    }
  | {
      readonly type: 'resynced';
      readonly gap_id: string;
      readonly channel: Channel | null;
      readonly start_ms: number;
      readonly end_ms: number;
    }
  | { readonly type: 'seam'; readonly gap_id: string; readonly start_ms: number; readonly end_ms: number };

type EventRow = BookRow | TradeRow | ContextRow | LiquidationRow | TickRow | FeedStatusRow;

/** The row of a market has its symbol and venue; which venue is the primary one is not part of it. */
export function rowOf(event: MarketEvent): EventRow {
  const { kind, venue, symbol, pass, venueId, exchangeTsMs, exchangeTsIsReceiveTime, receivedTsMs, ordinal, epoch } = event;
  const envelope = {
    schema: EVENT_ROW_SCHEMA,
    kind,
    venue,
    symbol: readMarket(symbol).symbol,
    pass,
    venue_id: venueId,
    exchange_ts_ms: exchangeTsMs,
    exchange_ts_is_receive_time: exchangeTsIsReceiveTime,
    received_ts_ms: receivedTsMs,
    ordinal,
    epoch,
  } as const;
  switch (event.kind) {
    case 'book':
      return {
        ...envelope,
        kind: 'book',
        bids: event.bids.map(levelRow),
        asks: event.asks.map(levelRow),
        ...(isLocked(event) && { locked_book: true }),
      };
    case 'trade': {
      const { price, size, venueSize, aggressorSide } = event;
      return {
        ...envelope,
        kind: 'trade',
        price,
        size,
        ...(venueSize !== undefined && { venue_size: venueSize }),
        aggressor_side: aggressorSide,
      };
    }
    case 'context':
      return {
        ...envelope,
        kind: 'context',
        ...(event.fundingRate !== undefined && { funding_rate: event.fundingRate }),
        ...(event.openInterest !== undefined && { open_interest: event.openInterest }),
        ...(event.markPrice !== undefined && { mark_price: event.markPrice }),
        ...(event.oraclePrice !== undefined && { oracle_price: event.oraclePrice }),
        ...(event.midPrice !== undefined && { mid_price: event.midPrice }),
        ...(event.dayVolume !== undefined && { day_volume: event.dayVolume }),
        ...(event.venueFundingRate !== undefined && { venue_funding_rate: event.venueFundingRate }),
        ...(event.fundingIntervalHours !== undefined && { funding_interval_hours: event.fundingIntervalHours }),
      };
    case 'liquidation': {
      const { positionSide, price, size, venueSize, provenance } = event;
      const sizes = { size, ...(venueSize !== undefined && { venue_size: venueSize }) };
      return { ...envelope, kind: 'liquidation', position_side: positionSide, price, ...sizes, provenance };
    }
    case 'tick':
      return { ...envelope, kind: 'tick', feed_clock_ms: event.feedClockMs };
    case 'feed_status':
      return { ...envelope, kind: 'feed_status', status: statusRow(event.status) };
  }
}

/** True if the best bid and ask prices are equal. */
export function isLocked({ bids, asks }: Pick<BookEvent, 'bids' | 'asks'>): boolean {
  return bids[0] !== undefined && bids[0].price === asks[0]?.price;
}

/** JSON without a line end. */
export function rowLine(event: MarketEvent): string {
  return JSON.stringify(rowOf(event));
}

function levelRow({ price, size, venueSize }: BookLevel): LevelRow {
  return venueSize === undefined ? [price, size] : [price, size, venueSize];
}

function statusRow(status: FeedStatus): StatusRow {
  switch (status.type) {
    case 'connected': {
      const { type, channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind } = status;
      return {
        type,
        channels,
        book_staleness_ms: bookStalenessMs,
        trade_staleness_ms: tradeStalenessMs,
        context_staleness_ms: contextStalenessMs,
        closing_lag_ms: closingLagMs,
        source_kind: sourceKind,
      };
    }
    case 'disconnected':
      return { type: status.type, reason: status.reason };
    case 'gap': {
      const { type, gapId, channel, startMs, endMs, reason } = status;
      return { type, gap_id: gapId, channel: channel ?? null, start_ms: startMs, end_ms: endMs, reason };
    }
    case 'resynced': {
      const { type, gapId, channel, startMs, endMs } = status;
      return { type, gap_id: gapId, channel: channel ?? null, start_ms: startMs, end_ms: endMs };
    }
    case 'seam': {
      const { type, gapId, startMs, endMs } = status;
      return { type, gap_id: gapId, start_ms: startMs, end_ms: endMs };
    }
  }
}
