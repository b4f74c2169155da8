import { multiplyDecimals } from '../decimal';
import { fundingOf } from '../funding-rate';
import { inverseSize } from '../inverse-size';
import type { ContextFacts, LogPlace } from '../log-writer';
import { FundingSchedule } from './funding-schedule';
import type { ContextPart, MarkPriceMessage } from './message';

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
