import { addDecimals, type ContextEvent, divideDecimals, fundingHoursOf, multiplyDecimals } from '@market-state/market-data';

/** Value as sent, with its exchange time. */
export interface TimedValue {
  readonly value: string;
  readonly asOfMs: number;
}

/** Rate of one payment, as sent. */
export interface FundingRate extends TimedValue {
  /** Undefined if not reported. */
  readonly intervalHours: number | undefined;
}

export interface ContextView {
  readonly fundingRate: FundingRate | undefined;
  /** Base units. */
  readonly openInterest: TimedValue | undefined;
  /** Open interest × mark price, as of the older of the two. */
  readonly openInterestUsd: TimedValue | undefined;
  readonly markPrice: TimedValue | undefined;
  readonly oraclePrice: TimedValue | undefined;
  /** (mark / oracle − 1) × 10,000, to 4 decimals, as of the older of the two. */
  readonly basisBps: TimedValue | undefined;
  readonly dayVolume: TimedValue | undefined;
}

const BASIS_DECIMALS = 4;

type ValueName = 'fundingRate' | 'openInterest' | 'markPrice' | 'oraclePrice' | 'dayVolume';

/** Newest values by exchange time: a venue may send them separately. */
export class ContextValues {
  private readonly sources = new Map<ValueName, ContextEvent>();
  private fundingRate: FundingRate | undefined;
  private openInterest: TimedValue | undefined;
  private markPrice: TimedValue | undefined;
  private oraclePrice: TimedValue | undefined;
  private dayVolume: TimedValue | undefined;

  apply(event: ContextEvent): void {
    const rate = event.venueFundingRate ?? event.fundingRate;
    if (rate !== undefined && this.isNewer('fundingRate', this.fundingRate, event))
      this.fundingRate = { value: rate, asOfMs: event.exchangeTsMs, intervalHours: fundingHoursOf(event) };
    for (const name of ['openInterest', 'markPrice', 'oraclePrice', 'dayVolume'] as const) {
      const value = event[name];
      if (value !== undefined && this.isNewer(name, this[name], event)) this[name] = { value, asOfMs: event.exchangeTsMs };
    }
  }

  /** Distinct, in log order; replaying them restores the values. */
  events(): ContextEvent[] {
    return [...new Set(this.sources.values())].sort((a, b) => a.ordinal - b.ordinal);
  }

  /** Records the event as the value's source if it is not older. */
  private isNewer(name: ValueName, held: TimedValue | undefined, event: ContextEvent): boolean {
    if (held !== undefined && event.exchangeTsMs < held.asOfMs) return false;
    this.sources.set(name, event);
    return true;
  }

  view(): ContextView {
    const { fundingRate, openInterest, markPrice, oraclePrice, dayVolume } = this;
    return {
      fundingRate,
      openInterest,
      openInterestUsd: combined(openInterest, markPrice, multiplyDecimals),
      markPrice,
      oraclePrice,
      basisBps: combined(markPrice, oraclePrice, basisBps),
      dayVolume,
    };
  }
}

function combined(
  a: TimedValue | undefined,
  b: TimedValue | undefined,
  compute: (a: string, b: string) => string | undefined,
): TimedValue | undefined {
  if (a === undefined || b === undefined) return undefined;
  const value = compute(a.value, b.value);
  return value === undefined ? undefined : { value, asOfMs: Math.min(a.asOfMs, b.asOfMs) };
}

/** Undefined for an oracle price of zero. */
function basisBps(mark: string, oracle: string): string | undefined {
  if (/^[0.]*$/.test(oracle)) return undefined;
  const difference = addDecimals(mark, multiplyDecimals(oracle, '-1'));
  return divideDecimals(multiplyDecimals(difference, '10000'), oracle, BASIS_DECIMALS);
}
