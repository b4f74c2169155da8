import { Random } from '../random/random';
import { BookSide, type SizeProfile } from './book-side';
import { type MarketConditions, STEP_MS, STEPS_PER_SECOND } from './conditions';
import type { SimulatedInstrument } from './instrument';
import type { MarketMessage } from './message';
import { Publisher } from './publisher';

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
class FairPrice {
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

/** A step is cut into this many slots; each holds at most one market order and one forced close. */
const SLOTS = 16;
const SLOT_MS = STEP_MS / SLOTS;
/** The largest order, as a multiple of the mean. */
const ORDER_SIZE_MAX = 30;
const FORCED_SIZE_MAX = 8;

/** A market order on its way to the book. */
interface MarketOrder {
  /** Milliseconds after the step's start, rising within a step, under 250. */
  readonly atMs: number;
  readonly side: 'buy' | 'sell';
  /** As a multiple of the mean order. */
  readonly size: number;
  /** It closes a position by force. */
  readonly forced: boolean;
}

/** The market orders of one step, oldest first: each slot draws whether one comes, from which side, and how large (heavy-tailed). */
function ordersOfStep(random: Random, conditions: MarketConditions, activity: number): MarketOrder[] {
  const orders: MarketOrder[] = [];
  const chance = (conditions.ordersPerSecond * activity) / (STEPS_PER_SECOND * SLOTS);
  const forcedChance = conditions.liquidationsPerSecond / (STEPS_PER_SECOND * SLOTS);
  for (let slot = 0; slot < SLOTS; slot++) {
    const atMs = Math.floor(slot * SLOT_MS + random.uniform() * (SLOT_MS - 1));
    if (random.chance(chance)) {
      const side = random.chance((1 + conditions.flowSkew) / 2) ? 'buy' : 'sell';
      orders.push({ atMs, side, size: conditions.orderSize * random.heavyTailed(ORDER_SIZE_MAX), forced: false });
    }
    if (forcedChance > 0 && random.chance(forcedChance)) {
      const side = conditions.liquidated === 'long' ? 'sell' : 'buy';
      orders.push({ atMs, side, size: conditions.liquidationSize * random.heavyTailed(FORCED_SIZE_MAX), forced: true });
    }
  }
  return orders;
}

const STEPS_PER_HOUR = STEPS_PER_SECOND * 3_600;
/** Share of the way to its level that funding goes in a step: half in about 7 s. */
const FUNDING_PULL = 0.025;
const FUNDING_NOISE = 0.000_000_02;
/** Of open interest, a step. */
const OPEN_INTEREST_NOISE = 0.000_008;

/** Funding and open interest as they drift. */
class Positioning {
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

const CONTEXT_EVERY_MS = 3_000;
/** Ordinary size of the best level, and what each level behind it adds, as shares of the instrument's level size. */
const PROFILE_BEST = 0.6;
const PROFILE_RISE = 0.12;
/** Ticks that the fair price moves by for a market order of the mean size. */
const IMPACT_TICKS = 0.0125;
/** Quotes follow the fair price once they are off by this much: sooner when they would be hit. */
const FOLLOW_BACK_TICKS = 0.6;
const FOLLOW_UP_TICKS = 0.9;
/** Changes of the book that a step may count. */
const BOOK_ID_STEP = [1, 40] as const;
const MARKET_STREAM = 1;

/**
 * One market: a book, market orders that eat it, a fair price that quotes follow, funding and open interest. It moves in steps of 250 ms
 * under conditions given from outside, and knows nothing of feeds or logs. The same seed and conditions give the same messages.
 */
export class Market {
  private readonly random: Random;
  private readonly publisher: Publisher;
  private parts: MarketParts;

  /** @param conditions those of the opening book */
  constructor(
    private readonly instrument: SimulatedInstrument,
    seed: number,
    conditions: MarketConditions,
  ) {
    this.random = new Random(seed, MARKET_STREAM);
    this.publisher = new Publisher(instrument);
    this.parts = this.opening(conditions);
  }

  /** Starts over at the opening price with a new book, as a recording does that is played again; ids go on. */
  reopen(conditions: MarketConditions): void {
    this.parts = this.opening(conditions);
  }

  /** What the venue publishes in [startMs, startMs + 250): trades, then the book, then a context every 3 s. */
  step(startMs: number, conditions: MarketConditions): MarketMessage[] {
    const { random, publisher } = this;
    const { fair, positioning, bids, asks } = this.parts;
    fair.step(conditions);
    positioning.step(conditions);
    const orders = ordersOfStep(random, conditions, fair.activity);
    const messages = orders.flatMap((order) => this.fill(startMs + order.atMs, order, conditions));
    const lastOrderMs = orders.at(-1)?.atMs ?? 0;
    this.quote(conditions);
    messages.push(publisher.book(startMs + random.integer(lastOrderMs, STEP_MS - 1), bids, asks, random.integer(...BOOK_ID_STEP)));
    if (startMs % CONTEXT_EVERY_MS === 0) {
      const { fundingRate, openInterest } = positioning;
      const prices = { markTicks: fair.quoteTicks, oracleTicks: fair.valueTicks, bestTicksSum: bids.bestTick + asks.bestTick };
      messages.push(publisher.context(startMs + STEP_MS - 1, { fundingRate, openInterest, ...prices }));
    }
    return messages;
  }

  private fill(tsMs: number, order: MarketOrder, conditions: MarketConditions): MarketMessage[] {
    const { instrument, publisher, parts } = this;
    const lots = Math.max(1, Math.round(order.size * instrument.tradeSize * 10 ** instrument.lotDecimals));
    const buys = order.side === 'buy';
    const fills = (buys ? parts.asks : parts.bids).take(lots, this.profile(buys ? -1 : 1, conditions));
    parts.fair.push((buys ? 1 : -1) * conditions.impact * IMPACT_TICKS * order.size);
    const messages: MarketMessage[] = fills.map((fill) => publisher.trade(tsMs, fill, order.side));
    const last = fills.at(-1);
    if (order.forced && last !== undefined) messages.push(publisher.liquidation(tsMs, { tick: last.tick, lots }, buys ? 'short' : 'long'));
    return messages;
  }

  /** Quotes follow the fair price, sizes are renewed, and now and then somebody leaves. */
  private quote(conditions: MarketConditions): void {
    const { random } = this;
    const { fair, bids, asks } = this.parts;
    const half = conditions.spreadTicks / 2;
    const bidTicks = followed(bids.bestTick, fair.quoteTicks - half, 1);
    const askTicks = Math.max(bidTicks + 1, followed(asks.bestTick, fair.quoteTicks + half, -1));
    const bidProfile = this.profile(1, conditions);
    const askProfile = this.profile(-1, conditions);
    bids.moveTo(bidTicks, bidProfile);
    asks.moveTo(askTicks, askProfile);
    bids.renew(bidProfile, conditions.refill);
    asks.renew(askProfile, conditions.refill);
    if (random.chance(conditions.withdrawals)) bids.withdrawBest();
    if (random.chance(conditions.withdrawals)) asks.withdrawBest();
  }

  /** Ordinary sizes of a side (bid 1, ask −1), lots: they rise away from the touch. */
  private profile(side: -1 | 1, { depth, depthSkew }: MarketConditions): SizeProfile {
    const lots = this.instrument.levelSize * 10 ** this.instrument.lotDecimals * depth * (1 + side * depthSkew);
    return (place) => lots * (PROFILE_BEST + PROFILE_RISE * place);
  }

  private opening(conditions: MarketConditions): MarketParts {
    const { random, instrument } = this;
    const ticks = instrument.startPrice * 10 ** instrument.tickDecimals;
    return {
      fair: new FairPrice(random, ticks),
      positioning: new Positioning(random, conditions.fundingPerHour, instrument.openInterest),
      bids: new BookSide(-1, random, ticks - 1, this.profile(1, conditions)),
      asks: new BookSide(1, random, ticks + 1, this.profile(-1, conditions)),
    };
  }
}

interface MarketParts {
  readonly fair: FairPrice;
  readonly positioning: Positioning;
  readonly bids: BookSide;
  readonly asks: BookSide;
}

/**
 * Where a best price goes that should stand at `wantedTicks`: nowhere while it is near. `inward` is 1 for the bid, whose better prices
 * are higher, −1 for the ask.
 */
function followed(bestTick: number, wantedTicks: number, inward: -1 | 1): number {
  const short = (wantedTicks - bestTick) * inward;
  return short > FOLLOW_UP_TICKS || short < -FOLLOW_BACK_TICKS ? Math.round(wantedTicks) : bestTick;
}
