import type { Channel, EventKind, GapReason, LiquidationEvent, SourceKind, TradeEvent } from '../event';

export const EVENT_ROW_SCHEMA = 'market_state_row.v1';

/** `[price, size]`, plus the venue's quantity on inverse contracts. Decimal strings; `size` in base units. */
export type LevelRow = readonly [price: string, size: string] | readonly [price: string, size: string, venueSize: string];

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
export interface BookRow extends RowEnvelope {
  readonly kind: 'book';
  readonly bids: readonly LevelRow[];
  readonly asks: readonly LevelRow[];
  /** Present if the best prices are equal; the spread is then 0. */
  readonly locked_book?: true;
}

/** Decimal strings; `size` in base units, `venue_size` as sent, on inverse contracts only. */
export interface TradeRow extends RowEnvelope {
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
export interface LiquidationRow extends RowEnvelope {
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
export type StatusRow =
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

export type EventRow = BookRow | TradeRow | ContextRow | LiquidationRow | TickRow | FeedStatusRow;
