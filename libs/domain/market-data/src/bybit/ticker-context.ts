import { divideDecimals } from '../decimal';
import type { ContextEvent } from '../event';
import type { TickerFields, TickerFrame } from './message';

/** Decimals of a funding rate per hour. */
const RATE_DECIMALS = 12;

type ContextFacts = Pick<ContextEvent, 'fundingRate' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'dayVolume'>;

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
 * `fundingRate` is what one payment costs, `fundingIntervalHour` hours apart: per hour it is their quotient, rounded half-even
 * to 12 decimals. `openInterest` counts base units, `turnover24h` quote currency. `indexPrice`, the venue's average over spot
 * markets, is what other venues call the oracle price. The mid price is not sent.
 */
function contextOf({ fundingRate, fundingIntervalHour, openInterest, markPrice, indexPrice, turnover24h }: TickerFields): ContextFacts {
  const isRateKnown = fundingRate !== undefined && fundingIntervalHour !== undefined;
  return {
    fundingRate: isRateKnown ? divideDecimals(fundingRate, fundingIntervalHour, RATE_DECIMALS) : undefined,
    openInterest,
    markPrice,
    oraclePrice: indexPrice,
    dayVolume: turnover24h,
  };
}
