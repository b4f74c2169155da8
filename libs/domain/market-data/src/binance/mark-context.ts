import { multiplyDecimals } from '../decimal';
import { fundingOf } from '../funding-rate';
import { inverseSize } from '../inverse-size';
import type { ContextFacts } from '../log-writer';
import type { ContextPart, MarkPriceMessage } from './message';

/** Hours between payments of an instrument that the venue's list of changed ones does not name. */
const FUNDING_HOURS = 8;

/**
 * What is known of the contract besides its mark price, which comes every second and makes the entry: open interest and volume as
 * last told. On COIN-M both count contracts: open interest becomes base units at the mark price it is logged with, volume becomes
 * US dollars by the contract's value. The index price is what other venues call the oracle price; the mid price is not sent.
 */
export class MarkContext {
  private openInterest: string | undefined;
  private volume: string | undefined;
  private intervalHours = FUNDING_HOURS;

  /** @param contractValue US dollars a contract stands for; absent where quantities are in base units. */
  constructor(private readonly contractValue: string | undefined) {}

  takePart({ openInterest, volume }: ContextPart): void {
    this.openInterest = openInterest ?? this.openInterest;
    this.volume = volume ?? this.volume;
  }

  takeInterval(hours: number): void {
    this.intervalHours = hours;
  }

  factsAt({ markPrice, indexPrice, fundingRate }: MarkPriceMessage): ContextFacts {
    const { openInterest, volume, contractValue } = this;
    const isInverse = contractValue !== undefined;
    return {
      ...(fundingRate !== undefined && fundingOf(fundingRate, this.intervalHours)),
      openInterest: isInverse && openInterest !== undefined ? inverseSize(openInterest, contractValue, markPrice) : openInterest,
      markPrice,
      oraclePrice: indexPrice,
      dayVolume: isInverse && volume !== undefined ? multiplyDecimals(volume, contractValue) : volume,
    };
  }
}
