import { multiplyDecimals } from '../decimal';
import { fundingOf } from '../funding-rate';
import { inverseSize } from '../inverse-size';
import type { ContextFacts } from '../log-writer';
import type { PlayedInstrument } from '../played-instrument';
import type { TickerFields, TickerFrame } from './message';

type Contracts = Pick<PlayedInstrument, 'contractValue' | 'contractSize'>;

/** Last known value of each field: venues send them in parts. */
export class TickerContext {
  private fields: TickerFields = {};

  constructor(private readonly contracts: Contracts) {}

  take({ isSnapshot, isPart, fields }: TickerFrame): ContextFacts | undefined {
    this.fields = isSnapshot ? fields : { ...this.fields, ...fields };
    return isPart === true || Object.keys(fields).length === 0 ? undefined : this.facts();
  }

  clear(): void {
    this.fields = {};
  }

  /** The index price averages spot markets, like an oracle price. */
  private facts(): ContextFacts {
    const { fundingRate, fundingIntervalHour, openInterest, openInterestBase, markPrice, indexPrice, turnover24h } = this.fields;
    const intervalHours = fundingIntervalHour === undefined ? undefined : Number(fundingIntervalHour);
    return {
      ...(fundingRate !== undefined && fundingOf(fundingRate, intervalHours)),
      openInterest: openInterestBase ?? this.baseUnitsOf(openInterest, markPrice),
      markPrice,
      oraclePrice: indexPrice,
      dayVolume: turnover24h,
    };
  }

  private baseUnitsOf(openInterest: string | undefined, markPrice: string | undefined): string | undefined {
    const { contractValue, contractSize } = this.contracts;
    if (openInterest === undefined) return undefined;
    if (contractSize !== undefined) return multiplyDecimals(openInterest, contractSize);
    if (contractValue === undefined) return openInterest;
    return markPrice === undefined ? undefined : inverseSize(openInterest, contractValue, markPrice);
  }
}
