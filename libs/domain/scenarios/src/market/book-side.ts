import type { BookLevel } from '@market-state/market-data';
import type { Random } from '../random/random';

/** Levels held a side; more than are published, so that a run through the book finds the next ones in place. */
const LEVELS_HELD = 40;
/** A level is renewed in about this share of the steps. */
const RENEWAL_CHANCE = 0.3;
/** A renewal takes at most this share of a level away: withdrawals alone take more. */
const RENEWAL_FALL_MAX = 0.3;
const RENEWAL_NOISE = 0.06;
const LOTS_MIN = 1;

interface RestingLevel {
  tick: number;
  lots: number;
  /** As published; null since it changed. */
  text: BookLevel | null;
}

/** Part of a market order filled at one price. */
export interface Fill {
  readonly tick: number;
  readonly lots: number;
}

/** Ordinary size of the level `place` places behind the best, lots. */
export type SizeProfile = (place: number) => number;

/** Resting orders of one side, best first, a level at every tick. Sizes change step by step; a level that stays keeps its size. */
export class BookSide {
  private readonly levels: RestingLevel[] = [];

  /** @param away −1 on the bid side, where worse prices are lower, 1 on the ask side */
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

  /** Moves the best price: better ones are withdrawn, or new ones come in with less than the ordinary size. */
  moveTo(bestTick: number, profile: SizeProfile): void {
    const kept = this.levels.findIndex((level) => (level.tick - bestTick) * this.away >= 0);
    this.levels.splice(0, kept === -1 ? this.levels.length : kept);
    let next = (this.levels[0]?.tick ?? bestTick + this.away) - this.away;
    for (; (next - bestTick) * this.away >= 0; next -= this.away)
      this.levels.unshift({ tick: next, lots: this.young(profile(0)), text: null });
    this.fillUp(profile);
    this.levels.length = LEVELS_HELD;
  }

  /** Renews some levels: each goes part of the way to its ordinary size, with a little noise. */
  renew(profile: SizeProfile, refill: number): void {
    for (let place = 0; place < this.levels.length; place++) {
      if (!this.random.chance(RENEWAL_CHANCE)) continue;
      const level = this.at(place);
      const wanted = profile(place);
      const change = (wanted - level.lots) * refill + wanted * RENEWAL_NOISE * this.random.normal();
      set(level, level.lots + Math.max(change, -RENEWAL_FALL_MAX * level.lots));
    }
  }

  /** Takes more than half of the best size away. */
  withdrawBest(): void {
    const best = this.best();
    set(best, best.lots * this.random.between(0.2, 0.45));
  }

  /** Fills a market order from the best price on; levels that are used up are gone. At least one level stays. */
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

  /** The best `count` levels as published. */
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
