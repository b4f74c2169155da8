import type { Random } from '../random/random';
import type { MarketConditions } from './conditions';
import { STEPS_PER_SECOND } from './step';

/** Passing noise keeps this share of itself from one step to the next: half is gone after about 6 s. */
const NOISE_KEPT = 0.97;
/** Activity wanders about 1 this slowly (half-life about 3 min) and this far. */
const ACTIVITY_KEPT = 0.999;
const ACTIVITY_STEP = 0.006;
/** Share of the way to its anchor that the fair price goes in a step: half in about 17 s. */
const ANCHOR_PULL = 0.01;
const BPS = 10_000;

/**
 * Where quotes gather: a fair price that diffuses with slowly varying activity, moved by what trades say, plus noise that passes
 * (mean-reverting). All in ticks.
 */
export class FairPrice {
  private noise = 0;
  private activityLevel = 1;
  private fairTicks: number;

  constructor(
    private readonly random: Random,
    private readonly openTicks: number,
  ) {
    this.fairTicks = openTicks;
  }

  /** How busy the market is by itself; about 1, in 0.6..1.6. */
  get activity(): number {
    return this.activityLevel;
  }

  /** Fair price with its noise. */
  get quoteTicks(): number {
    return this.fairTicks + this.noise;
  }

  get valueTicks(): number {
    return this.fairTicks;
  }

  step(conditions: MarketConditions): void {
    const { random } = this;
    const activity = 1 + ACTIVITY_KEPT * (this.activityLevel - 1) + ACTIVITY_STEP * random.normal();
    this.activityLevel = Math.min(1.6, Math.max(0.6, activity));
    const diffusionBps = (conditions.volatilityBps / Math.sqrt(STEPS_PER_SECOND)) * this.activityLevel * random.normal();
    const driftBps = conditions.driftBpsPerMinute / (60 * STEPS_PER_SECOND);
    this.fairTicks *= 1 + (diffusionBps + driftBps) / BPS;
    if (conditions.anchorBps !== null) this.fairTicks += ANCHOR_PULL * (this.openTicks * (1 + conditions.anchorBps / BPS) - this.fairTicks);
    this.noise = NOISE_KEPT * this.noise + Math.sqrt(1 - NOISE_KEPT * NOISE_KEPT) * conditions.noiseTicks * random.normal();
  }

  /** Moves the fair price by what a trade told. */
  push(ticks: number): void {
    this.fairTicks += ticks;
  }
}
