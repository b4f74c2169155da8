import type { BookLevel } from '@market-state/market-data';
import { Random } from '../random';
import { BookSide, type SizeProfile, type Fill } from './book-side';
import { type MarketConditions, STEP_MS, STEPS_PER_SECOND } from './conditions';
import type { SimulatedInstrument } from './instrument';
import type { MarketMessage, BookMessage, ContextMessage, LiquidationMessage, TradeMessage } from './message';

const CACHED_MAX = 65_536;

export function decimalWriter(decimals: number): (units: number) => string {
  const texts: (string | undefined)[] = [];
  return (units) => (units >= CACHED_MAX ? decimalText(units, decimals) : (texts[units] ??= decimalText(units, decimals)));
}

/** `units` × 10^−decimals in plain notation without trailing zeros; `units` is an integer of either sign. */
export function decimalText(units: number, decimals: number): string {
  const sign = units < 0 ? '-' : '';
  const digits = String(Math.abs(units)).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

const LEVELS_PUBLISHED = 25;
const FUNDING_DECIMALS = 10;
const VOLUME_DECIMALS = 2;

interface ContextFacts {
  readonly fundingRate: number;
  /** Base units. */
  readonly openInterest: number;
  readonly markTicks: number;
  readonly oracleTicks: number;
  readonly bestTicksSum: number;
}

class Publisher {
  private readonly priceText: (ticks: number) => string;
  private readonly sizeText: (lots: number) => string;
  private readonly lotsPerUnit: number;
  private bookId = 0;
  private tradeId = 0;
  private liquidationId = 0;
  private volume = 0;

  constructor(private readonly instrument: SimulatedInstrument) {
    this.priceText = decimalWriter(instrument.tickDecimals);
    this.sizeText = decimalWriter(instrument.lotDecimals);
    this.lotsPerUnit = 10 ** instrument.lotDecimals;
  }

  /** @param idStep book changes since the last message */
  book(tsMs: number, bids: BookSide, asks: BookSide, idStep: number): BookMessage {
    const textOf = (tick: number, lots: number): BookLevel => ({ price: this.priceText(tick), size: this.sizeText(lots) });
    this.bookId += idStep;
    return {
      kind: 'book',
      tsMs,
      id: this.bookId,
      bids: bids.published(LEVELS_PUBLISHED, textOf),
      asks: asks.published(LEVELS_PUBLISHED, textOf),
    };
  }

  trade(tsMs: number, { tick, lots }: Fill, aggressorSide: 'buy' | 'sell'): TradeMessage {
    this.volume += (tick / 10 ** this.instrument.tickDecimals) * (lots / this.lotsPerUnit);
    return { kind: 'trade', tsMs, id: ++this.tradeId, price: this.priceText(tick), size: this.sizeText(lots), aggressorSide };
  }

  liquidation(tsMs: number, { tick, lots }: Fill, positionSide: 'long' | 'short'): LiquidationMessage {
    return { kind: 'liquidation', tsMs, id: ++this.liquidationId, positionSide, price: this.priceText(tick), size: this.sizeText(lots) };
  }

  context(tsMs: number, facts: ContextFacts): ContextMessage {
    const { tickDecimals, lotDecimals } = this.instrument;
    return {
      kind: 'context',
      tsMs,
      fundingRate: decimalText(Math.round(facts.fundingRate * 10 ** FUNDING_DECIMALS), FUNDING_DECIMALS),
      openInterest: decimalText(Math.round(facts.openInterest * this.lotsPerUnit), lotDecimals),
      markPrice: this.priceText(Math.round(facts.markTicks)),
      oraclePrice: this.priceText(Math.round(facts.oracleTicks)),
      midPrice: decimalText(facts.bestTicksSum * 5, tickDecimals + 1),
      dayVolume: decimalText(Math.round(this.volume * 10 ** VOLUME_DECIMALS), VOLUME_DECIMALS),
    };
  }
}

/** Decay of noise per step: half-life about 6 s. */
const NOISE_KEPT = 0.97;
/** Slow random walk around 1; half-life about 3 min. */
const ACTIVITY_KEPT = 0.999;
const ACTIVITY_STEP = 0.006;
/** Pull to the anchor per step: half-life about 17 s. */
const ANCHOR_PULL = 0.01;
const BPS = 10_000;

/** Diffuses with varying activity and reacts to trades, plus mean-reverting noise. In ticks. */
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

  /** Intrinsic activity, about 1, in 0.6..1.6. */
  get activity(): number {
    return this.activityLevel;
  }

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

  push(ticks: number): void {
    this.fairTicks += ticks;
  }
}

/** Each slot holds at most one market order and one liquidation. */
const SLOTS = 16;
const SLOT_MS = STEP_MS / SLOTS;
const ORDER_SIZE_MAX = 30;
const FORCED_SIZE_MAX = 8;

interface MarketOrder {
  readonly atMs: number;
  readonly side: 'buy' | 'sell';
  readonly size: number;
  readonly forced: boolean;
}

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
/** Pull to the target per step: half-life about 7 s. */
const FUNDING_PULL = 0.025;
const FUNDING_NOISE = 0.000_000_02;
const OPEN_INTEREST_NOISE = 0.000_008;

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
/** Shares of the instrument's level size. */
const PROFILE_BEST = 0.6;
const PROFILE_RISE = 0.12;
/** Price impact of a mean-sized market order, in ticks. */
const IMPACT_TICKS = 0.0125;
/** Distance from the fair price at which quotes follow: sooner if they would be hit. */
const FOLLOW_BACK_TICKS = 0.6;
const FOLLOW_UP_TICKS = 0.9;
const BOOK_ID_STEP = [1, 40] as const;
const MARKET_STREAM = 1;

export class Market {
  private readonly random: Random;
  private readonly publisher: Publisher;
  private parts: MarketParts;

  constructor(
    private readonly instrument: SimulatedInstrument,
    seed: number,
    conditions: MarketConditions,
  ) {
    this.random = new Random(seed, MARKET_STREAM);
    this.publisher = new Publisher(instrument);
    this.parts = this.opening(conditions);
  }

  reopen(conditions: MarketConditions): void {
    this.parts = this.opening(conditions);
  }

  /** Trades, then the book, then a context every 3 s. */
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

/** `inward`: 1 for bids, −1 for asks. */
function followed(bestTick: number, wantedTicks: number, inward: -1 | 1): number {
  const short = (wantedTicks - bestTick) * inward;
  return short > FOLLOW_UP_TICKS || short < -FOLLOW_BACK_TICKS ? Math.round(wantedTicks) : bestTick;
}
