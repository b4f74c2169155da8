import type { BookLevel } from '@market-state/market-data';
import type { Random } from '../random';

/** More than are published, so that a sweep finds the next levels in place. */
const LEVELS_HELD = 40;
const RENEWAL_CHANCE = 0.3;
/** Only withdrawals take more. */
const RENEWAL_FALL_MAX = 0.3;
const RENEWAL_NOISE = 0.06;
const LOTS_MIN = 1;

interface RestingLevel {
  tick: number;
  lots: number;
  text: BookLevel | null;
}

export interface Fill {
  readonly tick: number;
  readonly lots: number;
}

/** Ordinary size in lots, `place` levels behind the best. */
export type SizeProfile = (place: number) => number;

/** Resting orders of one side, best first, one level per tick. */
export class BookSide {
  private readonly levels: RestingLevel[] = [];

  /** @param away direction of worse prices: −1 bid, 1 ask */
  constructor(
    private readonly away: -1 | 1,
    private readonly random: Random,
    bestTick: number,
    profile: SizeProfile,
  ) {
    this.levels.push({ tick: bestTick, lots: this.around(profile(0)), text: null });
    this.fillUp(profile);
  }

  get bestTick(): number {
    return this.best().tick;
  }

  moveTo(bestTick: number, profile: SizeProfile): void {
    const kept = this.levels.findIndex((level) => (level.tick - bestTick) * this.away >= 0);
    this.levels.splice(0, kept === -1 ? this.levels.length : kept);
    let next = (this.levels[0]?.tick ?? bestTick + this.away) - this.away;
    for (; (next - bestTick) * this.away >= 0; next -= this.away)
      this.levels.unshift({ tick: next, lots: this.young(profile(0)), text: null });
    this.fillUp(profile);
    this.levels.length = LEVELS_HELD;
  }

  /** Moves some levels part of the way to their ordinary size, with noise. */
  renew(profile: SizeProfile, refill: number): void {
    for (let place = 0; place < this.levels.length; place++) {
      if (!this.random.chance(RENEWAL_CHANCE)) continue;
      const level = this.at(place);
      const wanted = profile(place);
      const change = (wanted - level.lots) * refill + wanted * RENEWAL_NOISE * this.random.normal();
      set(level, level.lots + Math.max(change, -RENEWAL_FALL_MAX * level.lots));
    }
  }

  withdrawBest(): void {
    const best = this.best();
    set(best, best.lots * this.random.between(0.2, 0.45));
  }

  /** At least one level remains. */
  take(lots: number, profile: SizeProfile): Fill[] {
    const fills: Fill[] = [];
    let left = lots;
    while (left > 0) {
      const best = this.best();
      const filled = Math.min(left, best.lots);
      fills.push({ tick: best.tick, lots: filled });
      left -= filled;
      if (filled < best.lots) set(best, best.lots - filled);
      else this.dropBest(profile);
    }
    return fills;
  }

  published(count: number, textOf: (tick: number, lots: number) => BookLevel): BookLevel[] {
    return this.levels.slice(0, count).map((level) => (level.text ??= textOf(level.tick, level.lots)));
  }

  private dropBest(profile: SizeProfile): void {
    this.levels.shift();
    this.fillUp(profile);
  }

  private fillUp(profile: SizeProfile): void {
    while (this.levels.length < LEVELS_HELD) {
      const place = this.levels.length;
      this.levels.push({ tick: this.at(place - 1).tick + this.away, lots: this.around(profile(place)), text: null });
    }
  }

  private young(lots: number): number {
    return Math.max(LOTS_MIN, Math.round(lots * this.random.between(0.5, 0.9)));
  }

  private around(lots: number): number {
    return Math.max(LOTS_MIN, Math.round(lots * this.random.between(0.7, 1.3)));
  }

  private best(): RestingLevel {
    return this.at(0);
  }

  private at(place: number): RestingLevel {
    const level = this.levels[place];
    if (level === undefined) throw new RangeError(`no level at place ${place}`);
    return level;
  }
}

function set(level: RestingLevel, lots: number): void {
  const whole = Math.max(LOTS_MIN, Math.round(lots));
  if (whole === level.lots) return;
  level.lots = whole;
  level.text = null;
}
