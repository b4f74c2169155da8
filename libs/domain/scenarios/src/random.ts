/**
 * Seeded random numbers (sfc32). Uses only +, ×, ÷ and √, which IEEE 754 rounds identically everywhere, so a seed gives
 * the same log on every machine.
 */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private counter = 1;

  /**
   * @param seed integer 0..4,294,967,295
   * @param stream selects an independent stream of the seed
   */
  constructor(seed: number, stream: number) {
    this.a = seed | 0;
    this.b = stream | 0;
    this.c = 0x9e3779b9 | 0;
    for (let round = 0; round < 20; round++) this.word();
  }

  /** Uniform in [0, 1). */
  uniform(): number {
    return (this.word() >>> 0) / 4_294_967_296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.uniform();
  }

  /** Uniform integer in low..high, inclusive. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.uniform() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** Near-normal with mean 0 and variance 1 from four uniforms; within ±3.47. */
  normal(): number {
    return (this.uniform() + this.uniform() + this.uniform() + this.uniform() - 2) * NORMAL_SCALE;
  }

  /** Heavy-tailed (Lomax) with mean 1 and tail index 4, capped at `max`. */
  heavyTailed(max: number): number {
    return Math.min(max, 3 * (1 / Math.sqrt(Math.sqrt(1 - this.uniform())) - 1));
  }

  private word(): number {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum;
  }
}

/** 1 / sqrt(4 / 12): a uniform has variance 1/12. */
const NORMAL_SCALE = Math.sqrt(3);
