import { multiplyDecimals } from '../decimal';
import { fundingOf } from '../funding-rate';
import { inverseSize } from '../inverse-size';
import type { ContextFacts, LogPlace } from '../log-writer';
import type { ContextPart, MarkPriceMessage } from './message';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A live interval that the venue has not confirmed for so long counts as unknown. */
const CONFIRMED_MS_MAX = 15 * MINUTE_MS;
/** The list of payments may lack the newest for so long, and a payment in a hole of mark prices as long as this is not seen. */
const SETTLED_MS = 10 * MINUTE_MS;
/** Payments are made within this of their hour. */
const PAYMENT_MS_MAX = MINUTE_MS;
/** No contract is paid less often. */
const HOURS_MAX = 24;

/**
 * The hours between an instrument's funding payments, by its messages: the venue's list of intervals first, else the time from the newest
 * payment to the next. Unknown otherwise: no interval is assumed.
 */
class FundingSchedule {
  private listed: { readonly hours: number; readonly atMs: number } | undefined;
  private lastPaymentMs: number | undefined;
  private nextPaymentMs: number | undefined;
  private markMs = 0;

  /** @param isLive an interval of a recording holds until its next line */
  constructor(private readonly isLive: boolean) {}

  /** The venue lists the interval. @param clockMs when it was received */
  takeListed(hours: number, clockMs: number): void {
    this.listed = { hours, atMs: clockMs };
  }

  /** The newest payment in the venue's list; one that may have been followed by another is not used. */
  takePayment(timeMs: number, clockMs: number): void {
    const hourMs = Math.floor(clockMs / HOUR_MS) * HOUR_MS;
    if (timeMs < hourMs - PAYMENT_MS_MAX && clockMs - hourMs < SETTLED_MS) return;
    this.lastPaymentMs = Math.max(this.lastPaymentMs ?? 0, timeMs);
  }

  /** A mark price names the next payment: a later one than before, once that was due, shows that it was made. */
  takeMark(timeMs: number, nextPaymentMs: number | undefined): void {
    const { nextPaymentMs: dueMs, markMs } = this;
    this.markMs = timeMs;
    if (nextPaymentMs === undefined) return;
    if (dueMs !== undefined && nextPaymentMs > dueMs && timeMs >= dueMs)
      this.lastPaymentMs = timeMs - markMs < SETTLED_MS ? dueMs : undefined;
    this.nextPaymentMs = nextPaymentMs;
  }

  /** Whole hours; undefined where they are unknown. */
  hoursAt(clockMs: number): number | undefined {
    const { listed, isLive, lastPaymentMs, nextPaymentMs } = this;
    if (listed !== undefined && !(isLive && clockMs - listed.atMs > CONFIRMED_MS_MAX)) return listed.hours;
    if (lastPaymentMs === undefined || nextPaymentMs === undefined) return undefined;
    const hours = Math.round((nextPaymentMs - lastPaymentMs) / HOUR_MS);
    const isWhole = Math.abs(nextPaymentMs - lastPaymentMs - hours * HOUR_MS) <= PAYMENT_MS_MAX;
    return isWhole && hours >= 1 && hours <= HOURS_MAX ? hours : undefined;
  }
}

/**
 * What is known of the contract besides its mark price, which comes every second and makes the entry: open interest and volume as
 * last told. On COIN-M both count contracts: open interest becomes base units at the mark price it is logged with, volume becomes
 * US dollars by the contract's value. The index price is what other venues call the oracle price; the mid price is not sent.
 */
export class MarkContext {
  private openInterest: string | undefined;
  private volume: string | undefined;
  readonly funding: FundingSchedule;
  /** US dollars that a contract stands for; absent where quantities are in base units. */
  private readonly contractValue: string | undefined;

  constructor({ instrument, pass }: Pick<LogPlace, 'instrument' | 'pass'>) {
    this.contractValue = instrument.contractValue;
    this.funding = new FundingSchedule(pass === 0);
  }

  takePart({ openInterest, volume }: ContextPart): void {
    this.openInterest = openInterest ?? this.openInterest;
    this.volume = volume ?? this.volume;
  }

  /** @param clockMs the feed clock */
  factsAt({ timeMs, markPrice, indexPrice, fundingRate, nextFundingMs }: MarkPriceMessage, clockMs: number): ContextFacts {
    this.funding.takeMark(timeMs, nextFundingMs);
    const { openInterest, volume, contractValue } = this;
    const isInverse = contractValue !== undefined;
    return {
      ...(fundingRate !== undefined && fundingOf(fundingRate, this.funding.hoursAt(clockMs))),
      openInterest: isInverse && openInterest !== undefined ? inverseSize(openInterest, contractValue, markPrice) : openInterest,
      markPrice,
      oraclePrice: indexPrice,
      dayVolume: isInverse && volume !== undefined ? multiplyDecimals(volume, contractValue) : volume,
    };
  }
}
