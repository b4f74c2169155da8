import type { ContextFacts } from '../log-writer';
import { fundingOf } from '../funding-rate';
import type { TickerFields, TickerFrame } from './message';

/** The last full ticker with all deltas since merged over it. */
export class TickerContext {
  private fields: TickerFields = {};

  /** The context after a frame; undefined when the frame carries none of its fields (a quote, the last price). */
  take({ isSnapshot, fields }: TickerFrame): ContextFacts | undefined {
    this.fields = isSnapshot ? fields : { ...this.fields, ...fields };
    return Object.keys(fields).length === 0 ? undefined : contextOf(this.fields);
  }

  clear(): void {
    this.fields = {};
  }
}

/**
 * `fundingRate` is what one payment costs, `fundingIntervalHour` hours apart, which older tickers do not carry. `openInterest` counts base
 * units, `turnover24h` quote currency. `indexPrice`, the venue's average over spot markets, is what other venues call the oracle price.
 * The mid price is not sent.
 */
function contextOf({ fundingRate, fundingIntervalHour, openInterest, markPrice, indexPrice, turnover24h }: TickerFields): ContextFacts {
  const intervalHours = fundingIntervalHour === undefined ? undefined : Number(fundingIntervalHour);
  return {
    ...(fundingRate !== undefined && fundingOf(fundingRate, intervalHours)),
    openInterest,
    markPrice,
    oraclePrice: indexPrice,
    dayVolume: turnover24h,
  };
}
