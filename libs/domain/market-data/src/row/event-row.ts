import type { BookEvent, BookLevel, FeedStatus, MarketEvent } from '../event';
import { readMarket } from '../market';

export const EVENT_ROW_SCHEMA = 'market_state_row.v1';

/**
 * A log entry as an object of `schemas/market-state-row.v1.schema.json`, which states the units of its fields. It has the symbol and
 * venue of its market; which venue is the primary one is not part of it. Missing values are undefined, which JSON omits.
 */
export function rowOf(event: MarketEvent) {
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
  };
  switch (event.kind) {
    case 'book':
      return {
        ...envelope,
        bids: event.bids.map(levelRow),
        asks: event.asks.map(levelRow),
        ...(isLocked(event) && { locked_book: true }),
      };
    case 'trade':
      return { ...envelope, price: event.price, size: event.size, venue_size: event.venueSize, aggressor_side: event.aggressorSide };
    case 'context':
      return {
        ...envelope,
        funding_rate: event.fundingRate,
        open_interest: event.openInterest,
        mark_price: event.markPrice,
        oracle_price: event.oraclePrice,
        mid_price: event.midPrice,
        day_volume: event.dayVolume,
        venue_funding_rate: event.venueFundingRate,
        funding_interval_hours: event.fundingIntervalHours,
      };
    case 'liquidation': {
      const { positionSide, price, size, venueSize, provenance } = event;
      return { ...envelope, position_side: positionSide, price, size, venue_size: venueSize, provenance };
    }
    case 'tick':
      return { ...envelope, feed_clock_ms: event.feedClockMs };
    case 'feed_status':
      return { ...envelope, status: statusRow(event.status) };
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

function levelRow({ price, size, venueSize }: BookLevel) {
  return venueSize === undefined ? [price, size] : [price, size, venueSize];
}

function statusRow(status: FeedStatus) {
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
