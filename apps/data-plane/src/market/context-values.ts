import { addDecimals, type ContextEvent, divideDecimals, multiplyDecimals } from '@market-state/market-data';

/** A value as it was sent, and the exchange time at which it held. */
export interface TimedValue {
  readonly value: string;
  readonly asOfMs: number;
}

/** The rate of one payment as the venue sent it. */
export interface FundingRate extends TimedValue {
  readonly intervalHours: number;
}

/** The newest of each value of a symbol's context; undefined where it was never reported. */
export interface ContextView {
  readonly fundingRate: FundingRate | undefined;
  /** Base units. */
  readonly openInterest: TimedValue | undefined;
  /** Open interest times mark price, exact; as of the older of the two. */
  readonly openInterestUsd: TimedValue | undefined;
  readonly markPrice: TimedValue | undefined;
  readonly oraclePrice: TimedValue | undefined;
  /** (mark / oracle − 1) × 10,000, to 4 decimals; as of the older of the two. */
  readonly basisBps: TimedValue | undefined;
  readonly dayVolume: TimedValue | undefined;
}

const BASIS_DECIMALS = 4;

/** Keeps the newest of each value, by exchange time: a venue may send them one by one. */
export class ContextValues {
  private fundingRate: FundingRate | undefined;
  private openInterest: TimedValue | undefined;
  private markPrice: TimedValue | undefined;
  private oraclePrice: TimedValue | undefined;
  private dayVolume: TimedValue | undefined;

  apply({ exchangeTsMs: asOfMs, ...event }: ContextEvent): void {
    const rate = event.venueFundingRate ?? event.fundingRate;
    if (rate !== undefined && !isOlder(asOfMs, this.fundingRate)) {
      this.fundingRate = { value: rate, asOfMs, intervalHours: event.fundingIntervalHours ?? 1 };
    }
    this.openInterest = newer(this.openInterest, event.openInterest, asOfMs);
    this.markPrice = newer(this.markPrice, event.markPrice, asOfMs);
    this.oraclePrice = newer(this.oraclePrice, event.oraclePrice, asOfMs);
    this.dayVolume = newer(this.dayVolume, event.dayVolume, asOfMs);
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

function isOlder(asOfMs: number, known: TimedValue | undefined): boolean {
  return known !== undefined && asOfMs < known.asOfMs;
}

function newer(known: TimedValue | undefined, value: string | undefined, asOfMs: number): TimedValue | undefined {
  return value === undefined || isOlder(asOfMs, known) ? known : { value, asOfMs };
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
