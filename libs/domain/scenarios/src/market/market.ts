import { Random } from '../random/random';
import { BookSide, type SizeProfile } from './book-side';
import type { MarketConditions } from './conditions';
import { FairPrice } from './fair-price';
import type { SimulatedInstrument } from './instrument';
import type { MarketMessage } from './message';
import { ordersOfStep, type MarketOrder } from './order-flow';
import { Positioning } from './positioning';
import { Publisher } from './publisher';
import { STEP_MS } from './step';

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
