import type { Channel, EventKind, GapReason, LiquidationEvent, SourceKind, TradeEvent } from '../event';

/** The schema that every row names: one log entry as one JSON object. */
export const EVENT_ROW_SCHEMA = 'market_state_row.v1';

/** `[price, size]`, or with the quantity as the venue sent it on inverse contracts. Decimal strings; `size` in base units. */
export type LevelRow = readonly [price: string, size: string] | readonly [price: string, size: string, venueSize: string];

/** What every row carries. Times are milliseconds since the epoch, UTC. */
interface RowEnvelope {
  readonly schema: typeof EVENT_ROW_SCHEMA;
  readonly kind: EventKind;
  readonly venue: string;
  readonly symbol: string;
  /** 0 on a live feed. */
  readonly pass: number;
  /** '' where the venue gives none. */
  readonly venue_id: string;
  readonly exchange_ts_ms: number;
  readonly exchange_ts_is_receive_time: boolean;
  readonly received_ts_ms: number;
  /** Position in the symbol's log, from 1. */
  readonly ordinal: number;
  readonly epoch: number;
}

/** The best levels of a 250 ms bucket, at most 25 a side, best first. */
export interface BookRow extends RowEnvelope {
  readonly kind: 'book';
  readonly bids: readonly LevelRow[];
  readonly asks: readonly LevelRow[];
}

/** One trade. Decimal strings; `size` in base units, `venue_size` as the venue sent it on inverse contracts only. */
export interface TradeRow extends RowEnvelope {
  readonly kind: 'trade';
  readonly price: string;
  readonly size: string;
  readonly venue_size?: string;
  readonly aggressor_side: TradeEvent['aggressorSide'];
}

/**
 * Contract context, decimal strings as the venue sent them: funding an hour, open interest in base units, day volume in quote
 * currency; the venue's rate of one payment and the hours between payments where that is not one. What the venue did not send is left out.
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

/**
 * A liquidation of a long or short position. Decimal strings; `size` in base units, `venue_size` as the venue sent it on inverse contracts
 * only.
 */
export interface LiquidationRow extends RowEnvelope {
  readonly kind: 'liquidation';
  readonly position_side: LiquidationEvent['positionSide'];
  readonly price: string;
  readonly size: string;
  readonly venue_size?: string;
  readonly provenance: LiquidationEvent['provenance'];
}

/** The feed clock at this place of the log, milliseconds since the epoch. */
interface TickRow extends RowEnvelope {
  readonly kind: 'tick';
  readonly feed_clock_ms: number;
}

/** What the feed says of itself. */
interface FeedStatusRow extends RowEnvelope {
  readonly kind: 'feed_status';
  readonly status: StatusRow;
}

/** One report of the feed. `_ms` are milliseconds: durations in `connected`, else times since the epoch. */
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
      /** 0: still open. */
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

/** One log entry as `schemas/market-state-row.v1.schema.json` describes it. The meaning of each field is that of the event's. */
export type EventRow = BookRow | TradeRow | ContextRow | LiquidationRow | TickRow | FeedStatusRow;
