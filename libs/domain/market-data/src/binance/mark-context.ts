import { multiplyDecimals } from '../decimal';
import { fundingOf } from '../funding-rate';
import { inverseSize } from '../inverse-size';
import type { ContextFacts, LogPosition } from '../log-writer';
import type { ContextPart, MarkPriceMessage } from './message';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A live interval unconfirmed for this long counts as unknown. */
const CONFIRMED_MS_MAX = 15 * MINUTE_MS;
/** A payment within a gap in mark prices of this length goes unseen. */
const SETTLED_MS = 10 * MINUTE_MS;
const PAYMENT_MS_MAX = MINUTE_MS;
const HOURS_MAX = 24;

/** Listed funding interval, otherwise the time between two payments; never assumed. */
class FundingSchedule {
  private listed: { readonly hours: number; readonly atMs: number } | undefined;
  private lastPaymentMs: number | undefined;
  private nextPaymentMs: number | undefined;
  private markMs = 0;

  constructor(private readonly isLive: boolean) {}

  takeListed(hours: number, clockMs: number): void {
    this.listed = { hours, atMs: clockMs };
  }

  /** Newest listed payment. Ignored if another one may have followed it. */
  takePayment(timeMs: number, clockMs: number): void {
    const hourMs = Math.floor(clockMs / HOUR_MS) * HOUR_MS;
    if (timeMs < hourMs - PAYMENT_MS_MAX && clockMs - hourMs < SETTLED_MS) return;
    this.lastPaymentMs = Math.max(this.lastPaymentMs ?? 0, timeMs);
  }

  /** A later next-payment time, once the previous one was due, proves the payment. */
  takeMark(timeMs: number, nextPaymentMs: number | undefined): void {
    const { nextPaymentMs: dueMs, markMs } = this;
    this.markMs = timeMs;
    if (nextPaymentMs === undefined) return;
    if (dueMs !== undefined && nextPaymentMs > dueMs && timeMs >= dueMs)
      this.lastPaymentMs = timeMs - markMs < SETTLED_MS ? dueMs : undefined;
    this.nextPaymentMs = nextPaymentMs;
  }

  hoursAt(clockMs: number): number | undefined {
    const { listed, isLive, lastPaymentMs, nextPaymentMs } = this;
    if (listed !== undefined && !(isLive && clockMs - listed.atMs > CONFIRMED_MS_MAX)) return listed.hours;
    if (lastPaymentMs === undefined || nextPaymentMs === undefined) return undefined;
    const hours = Math.round((nextPaymentMs - lastPaymentMs) / HOUR_MS);
    const isWhole = Math.abs(nextPaymentMs - lastPaymentMs - hours * HOUR_MS) <= PAYMENT_MS_MAX;
    return isWhole && hours >= 1 && hours <= HOURS_MAX ? hours : undefined;
  }
}

/** COIN-M contracts are converted to base units and US dollars. The index price is logged as the oracle price. */
export class MarkContext {
  private openInterest: string | undefined;
  private volume: string | undefined;
  readonly funding: FundingSchedule;
  private readonly contractValue: string | undefined;

  constructor({ instrument, pass }: Pick<LogPosition, 'instrument' | 'pass'>) {
    this.contractValue = instrument.contractValue;
    this.funding = new FundingSchedule(pass === 0);
  }

  takePart({ openInterest, volume }: ContextPart): void {
    this.openInterest = openInterest ?? this.openInterest;
    this.volume = volume ?? this.volume;
  }

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
