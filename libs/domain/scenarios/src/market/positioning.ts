import type { Random } from '../random/random';
import type { MarketConditions } from './conditions';
import { STEPS_PER_SECOND } from './step';

const STEPS_PER_HOUR = STEPS_PER_SECOND * 3_600;
/** Share of the way to its level that funding goes in a step: half in about 7 s. */
const FUNDING_PULL = 0.025;
const FUNDING_NOISE = 0.000_000_02;
/** Of open interest, a step. */
const OPEN_INTEREST_NOISE = 0.000_008;

/** Funding and open interest as they drift. */
export class Positioning {
  constructor(
    private readonly random: Random,
    /** Per hour. */
    public fundingRate: number,
    /** Base units. */
    public openInterest: number,
  ) {}

  step(conditions: MarketConditions): void {
    this.fundingRate += FUNDING_PULL * (conditions.fundingPerHour - this.fundingRate) + FUNDING_NOISE * this.random.normal();
    this.openInterest *= 1 + conditions.openInterestGrowthPerHour / STEPS_PER_HOUR + OPEN_INTEREST_NOISE * this.random.normal();
  }
}
