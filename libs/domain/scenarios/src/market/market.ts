import type { BookLevel } from '@market-state/market-data';
import { Random } from '../random/random';
import { BookSide, type SizeProfile } from './book-side';
import type { MarketConditions } from './conditions';
import { decimalText, decimalWriter } from './decimal-text';
import { FairPrice } from './fair-price';
import type { SimulatedInstrument } from './instrument';
import type { BookMessage, ContextMessage, MarketMessage } from './message';
import { ordersOfStep, type MarketOrder } from './order-flow';
import { Positioning } from './positioning';
import { STEP_MS } from './step';

/** Levels a side of a published book. */
const LEVELS_PUBLISHED = 25;
const CONTEXT_EVERY_MS = 3_000;
/** Ordinary size of the best level, and what each level behind it adds, as shares of the instrument's level size. */
const PROFILE_BEST = 0.6;
const PROFILE_RISE = 0.12;
/** Ticks that the fair price moves by for a market order of the mean size. */
const IMPACT_TICKS = 0.0125;
/** Quotes follow the fair price once they are off by this much: sooner when they would be hit. */
const FOLLOW_BACK_TICKS = 0.6;
const FOLLOW_UP_TICKS = 0.9;
const FUNDING_DECIMALS = 10;
const MARKET_STREAM = 1;

/**
 * One market: a book, market orders that eat it, a fair price that quotes follow, funding and open interest. It moves in steps of 250 ms
 * under conditions given from outside, and knows nothing of feeds or logs. The same seed and conditions give the same messages.
 */
export class Market {
  private readonly random: Random;
  private readonly priceText: (ticks: number) => string;
  private readonly sizeText: (lots: number) => string;
  private readonly lotsPerUnit: number;
  private fair: FairPrice;
  private positioning: Positioning;
  private bids: BookSide;
  private asks: BookSide;
  private bookId = 0;
  private tradeId = 0;
  private liquidationId = 0;
  private dayVolume = 0;

  /** @param conditions those of the opening book */
  constructor(
    private readonly instrument: SimulatedInstrument,
    seed: number,
    conditions: MarketConditions,
  ) {
    this.random = new Random(seed, MARKET_STREAM);
    this.priceText = decimalWriter(instrument.tickDecimals);
    this.sizeText = decimalWriter(instrument.lotDecimals);
    this.lotsPerUnit = 10 ** instrument.lotDecimals;
    const opening = this.opening(conditions);
    this.fair = opening.fair;
    this.positioning = opening.positioning;
    this.bids = opening.bids;
    this.asks = opening.asks;
  }

  /** Starts over at the opening price with a new book, as a recording does that is played again; ids go on. */
  reopen(conditions: MarketConditions): void {
    Object.assign(this, this.opening(conditions));
  }

  /** What the venue publishes in [startMs, startMs + 250), oldest first. */
  step(startMs: number, conditions: MarketConditions): MarketMessage[] {
    const messages: MarketMessage[] = [];
    this.fair.step(conditions);
    this.positioning.step(conditions);
    const orders = ordersOfStep(this.random, conditions, this.fair.activity);
    for (const order of orders) this.fill(startMs + order.atMs, order, conditions, messages);
    const lastOrderMs = orders.at(-1)?.atMs ?? 0;
    this.quote(conditions);
    messages.push(this.book(startMs + this.random.integer(lastOrderMs, STEP_MS - 1)));
    if (startMs % CONTEXT_EVERY_MS === 0) messages.push(this.context(startMs + STEP_MS - 1));
    return messages;
  }

  private fill(tsMs: number, order: MarketOrder, conditions: MarketConditions, messages: MarketMessage[]): void {
    const { instrument } = this;
    const lots = Math.max(1, Math.round(order.size * instrument.tradeSize * this.lotsPerUnit));
    const sign = order.side === 'buy' ? 1 : -1;
    const side = order.side === 'buy' ? this.asks : this.bids;
    const fills = side.take(lots, this.profile(sign === 1 ? -1 : 1, conditions));
    for (const { tick, lots: filled } of fills) {
      messages.push({
        kind: 'trade', tsMs, id: ++this.tradeId, price: this.priceText(tick), size: this.sizeText(filled), aggressorSide: order.side,
      });
      this.dayVolume += (tick / 10 ** instrument.tickDecimals) * (filled / this.lotsPerUnit);
    }
    this.fair.push(sign * conditions.impact * IMPACT_TICKS * order.size);
    const last = fills.at(-1);
    if (!order.forced || last === undefined) return;
    messages.push({
      kind: 'liquidation', tsMs, id: ++this.liquidationId, positionSide: order.side === 'sell' ? 'long' : 'short',
      price: this.priceText(last.tick), size: this.sizeText(lots),
    });
  }

  /** Quotes follow the fair price, sizes are renewed, and now and then somebody leaves. */
  private quote(conditions: MarketConditions): void {
    const { bids, asks, random } = this;
    const half = conditions.spreadTicks / 2;
    const bidTicks = followed(bids.bestTick, this.fair.quoteTicks - half, 1);
    const askTicks = Math.max(bidTicks + 1, followed(asks.bestTick, this.fair.quoteTicks + half, -1));
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
    const lots = this.instrument.levelSize * this.lotsPerUnit * depth * (1 + side * depthSkew);
    return (place) => lots * (PROFILE_BEST + PROFILE_RISE * place);
  }

  private book(tsMs: number): BookMessage {
    const textOf = (tick: number, lots: number): BookLevel => ({ price: this.priceText(tick), size: this.sizeText(lots) });
    this.bookId += this.random.integer(1, 40);
    const bids = this.bids.published(LEVELS_PUBLISHED, textOf);
    const asks = this.asks.published(LEVELS_PUBLISHED, textOf);
    return { kind: 'book', tsMs, id: this.bookId, bids, asks };
  }

  private context(tsMs: number): ContextMessage {
    const { tickDecimals, lotDecimals } = this.instrument;
    return {
      kind: 'context',
      tsMs,
      fundingRate: decimalText(Math.round(this.positioning.fundingRate * 10 ** FUNDING_DECIMALS), FUNDING_DECIMALS),
      openInterest: decimalText(Math.round(this.positioning.openInterest * this.lotsPerUnit), lotDecimals),
      markPrice: this.priceText(Math.round(this.fair.quoteTicks)),
      oraclePrice: this.priceText(Math.round(this.fair.valueTicks)),
      midPrice: decimalText((this.bids.bestTick + this.asks.bestTick) * 5, tickDecimals + 1),
      dayVolume: decimalText(Math.round(this.dayVolume * 100), 2),
    };
  }

  private opening(conditions: MarketConditions) {
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

/**
 * Where a best price goes that should stand at `wantedTicks`: nowhere while it is near. `inward` is 1 for the bid, whose better prices
 * are higher, −1 for the ask.
 */
function followed(bestTick: number, wantedTicks: number, inward: -1 | 1): number {
  const short = (wantedTicks - bestTick) * inward;
  return short > FOLLOW_UP_TICKS || short < -FOLLOW_BACK_TICKS ? Math.round(wantedTicks) : bestTick;
}
