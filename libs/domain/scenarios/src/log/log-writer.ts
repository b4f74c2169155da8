import type { FeedStatus, FeedStatusEvent, MarketEvent, TickEvent } from '@market-state/market-data';
import type { MarketMessage } from '../market/message';

export const SIMULATED_VENUE = 'simulated';

const EPOCH = 1;

/** Writes log entries: ordinals rise from 1; the pass rises at each seam. */
export class LogWriter {
  private ordinal = 0;
  pass = 1;

  constructor(private readonly symbol: string) {}

  /** Contexts have no venue time or id and use the receive time, flagged. */
  message(message: MarketMessage, receivedMs: number, provenance: 'venue_reported' | 'proxy'): MarketEvent {
    switch (message.kind) {
      case 'book':
        return { kind: 'book', ...this.envelope(String(message.id), message.tsMs, receivedMs), bids: message.bids, asks: message.asks };
      case 'trade': {
        const { price, size, aggressorSide } = message;
        return { kind: 'trade', ...this.envelope(String(message.id), message.tsMs, receivedMs), price, size, aggressorSide };
      }
      case 'context': {
        const { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume } = message;
        const facts = { fundingRate, openInterest, markPrice, oraclePrice, midPrice, dayVolume };
        return { kind: 'context', ...this.envelope('', null, receivedMs), ...facts };
      }
      case 'liquidation': {
        const { positionSide, price, size } = message;
        return {
          kind: 'liquidation',
          ...this.envelope(String(message.id), message.tsMs, receivedMs),
          positionSide,
          price,
          size,
          provenance,
        };
      }
    }
  }

  tick(clockMs: number): TickEvent {
    return { kind: 'tick', ...this.envelope('', clockMs, clockMs), feedClockMs: clockMs };
  }

  status(status: FeedStatus, clockMs: number): FeedStatusEvent {
    return { kind: 'feed_status', ...this.envelope('', null, clockMs), status };
  }

  private envelope(venueId: string, venueTsMs: number | null, receivedTsMs: number) {
    return {
      venue: SIMULATED_VENUE,
      symbol: this.symbol,
      pass: this.pass,
      venueId,
      exchangeTsMs: venueTsMs ?? receivedTsMs,
      exchangeTsIsReceiveTime: venueTsMs === null,
      receivedTsMs,
      ordinal: ++this.ordinal,
      epoch: EPOCH,
    };
  }
}
