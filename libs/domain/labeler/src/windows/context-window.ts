import type { ContextEvent } from '@market-state/market-data';
import { round12 } from '../numbers/round';
import { Ring } from './ring';

/** Open interest as sent at an instant, base units. */
export interface OpenInterestRecord {
  readonly tsMs: number;
  readonly value: number;
}

/** The last value of each context field, and an hour of open interest with the value in force at its start. */
export class ContextWindow {
  constructor(
    readonly openInterest: Ring<OpenInterestRecord> = new Ring(),
    public lastTsMs: number | null = null,
    /** Signed, per hour; null too where the newest rate is of an interval that is unknown. */
    public fundingRate: number | null = null,
    public markPrice: number | null = null,
  ) {}

  apply(event: ContextEvent): void {
    this.lastTsMs = event.exchangeTsMs;
    if (event.fundingRate !== undefined) this.fundingRate = round12(Number(event.fundingRate));
    else if (event.venueFundingRate !== undefined) this.fundingRate = null;
    if (event.markPrice !== undefined) this.markPrice = Number(event.markPrice);
    if (event.openInterest !== undefined) {
      this.openInterest.push({ tsMs: event.exchangeTsMs, value: Number(event.openInterest) });
    }
  }

  /** Keeps the values after `startMs` and the one in force at that instant. */
  forget(startMs: number): void {
    for (let second = this.openInterest.at(1); second !== undefined && second.tsMs <= startMs; second = this.openInterest.at(1)) {
      this.openInterest.shift();
    }
  }
}
