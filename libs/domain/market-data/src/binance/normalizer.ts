import { normalizeDecimal, multiplyDecimals, inverseSize, fundingOf } from '../decimal';
import { type TimedChannel, HOUR_MS, MINUTE_MS } from '../event';
import type { LogPosition, LogWriter, ContextFacts } from '../log-writer';
import type { LiveNormalizer } from '../normalizer';
import { SampledNormalizer } from '../sampled-normalizer';
import { DiffBook } from './diff-book';
import type { BinanceMessage, DepthDiff, DepthSnapshot, LiquidationMessage, MarkPriceMessage, TradeMessage, ContextPart } from './message';

/** A live interval unconfirmed for this long counts as unknown. */
const CONFIRMED_MS_MAX = 15 * MINUTE_MS;
/** A payment within a gap in mark prices of this length goes unseen. */
const SETTLED_MS = 10 * MINUTE_MS;
const PAYMENT_MS_MAX = MINUTE_MS;
const HOURS_MAX = 24;

/** Listed funding interval, otherwise the time between two payments; never assumed. */
class FundingSchedule {
  private listed: { readonly hours: number; readonly atMs: number } | undefined;
  private lastPaymentMs: number | undefined;
  private nextPaymentMs: number | undefined;
  private markMs = 0;

  constructor(private readonly isLive: boolean) {}

  takeListed(hours: number, clockMs: number): void {
    this.listed = { hours, atMs: clockMs };
  }

  /** Newest listed payment. Ignored if another one may have followed it. */
  takePayment(timeMs: number, clockMs: number): void {
    const hourMs = Math.floor(clockMs / HOUR_MS) * HOUR_MS;
    if (timeMs < hourMs - PAYMENT_MS_MAX && clockMs - hourMs < SETTLED_MS) return;
    this.lastPaymentMs = Math.max(this.lastPaymentMs ?? 0, timeMs);
  }

  /** A later next-payment time, once the previous one was due, proves the payment. */
  takeMark(timeMs: number, nextPaymentMs: number | undefined): void {
    const { nextPaymentMs: dueMs, markMs } = this;
    this.markMs = timeMs;
    if (nextPaymentMs === undefined) return;
    if (dueMs !== undefined && nextPaymentMs > dueMs && timeMs >= dueMs)
      this.lastPaymentMs = timeMs - markMs < SETTLED_MS ? dueMs : undefined;
    this.nextPaymentMs = nextPaymentMs;
  }

  hoursAt(clockMs: number): number | undefined {
    const { listed, isLive, lastPaymentMs, nextPaymentMs } = this;
    if (listed !== undefined && !(isLive && clockMs - listed.atMs > CONFIRMED_MS_MAX)) return listed.hours;
    if (lastPaymentMs === undefined || nextPaymentMs === undefined) return undefined;
    const hours = Math.round((nextPaymentMs - lastPaymentMs) / HOUR_MS);
    const isWhole = Math.abs(nextPaymentMs - lastPaymentMs - hours * HOUR_MS) <= PAYMENT_MS_MAX;
    return isWhole && hours >= 1 && hours <= HOURS_MAX ? hours : undefined;
  }
}

/** COIN-M contracts are converted to base units and US dollars. The index price is logged as the oracle price. */
class MarkContext {
  private openInterest: string | undefined;
  private volume: string | undefined;
  readonly funding: FundingSchedule;
  private readonly contractValue: string | undefined;

  constructor({ instrument, pass }: Pick<LogPosition, 'instrument' | 'pass'>) {
    this.contractValue = instrument.contractValue;
    this.funding = new FundingSchedule(pass === 0);
  }

  takePart({ openInterest, volume }: ContextPart): void {
    this.openInterest = openInterest ?? this.openInterest;
    this.volume = volume ?? this.volume;
  }

  factsAt({ timeMs, markPrice, indexPrice, fundingRate, nextFundingMs }: MarkPriceMessage, clockMs: number): ContextFacts {
    this.funding.takeMark(timeMs, nextFundingMs);
    const { openInterest, volume, contractValue } = this;
    const isInverse = contractValue !== undefined;
    return {
      ...(fundingRate !== undefined && fundingOf(fundingRate, this.funding.hoursAt(clockMs))),
      openInterest: isInverse && openInterest !== undefined ? inverseSize(openInterest, contractValue, markPrice) : openInterest,
      markPrice,
      oraclePrice: indexPrice,
      dayVolume: isInverse && volume !== undefined ? multiplyDecimals(volume, contractValue) : volume,
    };
  }
}

/** Below this a new snapshot is needed. */
const LIVE_LEVELS = 25;

const CHANNEL_OF: ReadonlyMap<BinanceMessage['type'], TimedChannel> = new Map([
  ['depth', 'book'],
  ['trade', 'trade'],
  ['no_trade', 'trade'],
  ['mark_price', 'context'],
]);

/**
 * Market with a contract value: COIN-M, otherwise USD-M.
 * Only messages that are logged close a book bucket, so feeds without `bookTicker` produce the same events.
 */
export class BinanceNormalizer extends SampledNormalizer<DiffBook> implements LiveNormalizer<BinanceMessage> {
  private readonly context: MarkContext;
  private ticker: { readonly first: number; readonly newest: number } | undefined;
  private lastMarkMs = 0;

  constructor(place: LogPosition, log: LogWriter) {
    super(place, log, new DiffBook(place.pass === 0 ? LIVE_LEVELS : undefined));
    this.context = new MarkContext(place);
  }

  get isTradeQuiet(): boolean {
    const { first, newest } = this.ticker ?? {};
    return first !== undefined && newest !== undefined && newest <= Math.max(first, this.tradeNumbers.newest);
  }

  channelOf({ type }: BinanceMessage): TimedChannel | undefined {
    return CHANNEL_OF.get(type);
  }

  accept(message: BinanceMessage): void {
    if (message.type === 'ignored') return;
    if (message.type === 'rejected') return this.reject(message.reason);
    if (message.type === 'funding_interval') return this.context.funding.takeListed(message.hours, this.log.clockMs);
    if (message.type === 'funding_payment') return this.context.funding.takePayment(message.timeMs, this.log.clockMs);
    if (message.type === 'context_part') {
      const { lastTradeId: newest } = message;
      if (newest !== undefined) this.ticker = { first: this.ticker?.first ?? newest, newest };
      return this.context.takePart(message);
    }
    if (message.type === 'no_trade') {
      this.reject('no_trade');
      return this.tradeNumbers.came(message.id);
    }
    const exchangeTsMs = message.timeMs;
    if (!this.isTimely(exchangeTsMs)) return;
    switch (message.type) {
      case 'depth':
        return this.takeDiff(message, exchangeTsMs);
      case 'snapshot':
        return this.takeSnapshot(message, exchangeTsMs);
      case 'trade':
        return this.takeTrade(message, exchangeTsMs);
      case 'mark_price':
        return this.takeMarkPrice(message, exchangeTsMs);
      case 'liquidation':
        return this.takeLiquidation(message, exchangeTsMs);
    }
  }

  private takeDiff(diff: DepthDiff, exchangeTsMs: number): void {
    const verdict = this.book.judge(diff);
    if (verdict === 'gap') {
      this.sampler.lost(exchangeTsMs, { mayArriveLate: this.book.isWhole });
      this.sampler.waits();
      return this.book.lose(diff);
    }
    this.sampler.message(exchangeTsMs);
    if (verdict === 'buffered') return this.takeEarlyDiff();
    if (verdict !== 'next') return;
    this.book.apply(diff);
    if (this.sampler.changed(exchangeTsMs)) this.loseBook(exchangeTsMs);
    else this.checkCover(exchangeTsMs);
  }

  private checkCover(exchangeTsMs: number): void {
    if (!this.book.isExhausted) return;
    this.reject('beyond_snapshot');
    this.loseBook(exchangeTsMs);
  }

  private takeEarlyDiff(): void {
    this.sampler.waits();
    const diffs = this.book.takeEarly();
    const last = diffs[diffs.length - 1];
    if (last === undefined) return;
    this.sampler.arrivedLate(last.timeMs);
    for (const diff of diffs) this.book.apply(diff);
    this.sampler.changed(last.timeMs);
    this.checkCover(last.timeMs);
  }

  private takeSnapshot(snapshot: DepthSnapshot, exchangeTsMs: number): void {
    this.sampler.message(exchangeTsMs);
    const outcome = this.book.takeSnapshot(snapshot);
    if (outcome === 'stale') return this.reject('stale_snapshot');
    if (outcome !== 'taken') return;
    this.sampler.restored(this.book.lastChangeMs);
    this.checkCover(this.book.lastChangeMs);
  }

  private takeTrade({ id, price, quantity, buyerIsMaker }: TradeMessage, exchangeTsMs: number): void {
    this.sampler.message(exchangeTsMs);
    this.tradeNumbers.trade(id, exchangeTsMs);
    const sizes = this.sizesOf(quantity, price);
    this.log.trade({
      venueId: String(id),
      exchangeTsMs,
      price: normalizeDecimal(price),
      ...sizes,
      aggressorSide: buyerIsMaker ? 'sell' : 'buy',
    });
  }

  /** Mark prices have no id; their rising time serves as one. */
  private takeMarkPrice(message: MarkPriceMessage, exchangeTsMs: number): void {
    if (message.timeMs <= this.lastMarkMs) return this.reject('duplicate');
    this.lastMarkMs = message.timeMs;
    this.sampler.message(exchangeTsMs);
    this.log.context({ venueId: String(message.timeMs), ...this.context.factsAt(message, this.log.clockMs) }, exchangeTsMs);
  }

  private takeLiquidation({ positionSide, price, quantity }: LiquidationMessage, exchangeTsMs: number): void {
    this.sampler.message(exchangeTsMs);
    const sizes = this.sizesOf(quantity, price);
    this.log.liquidation({
      venueId: '',
      exchangeTsMs,
      positionSide,
      price: normalizeDecimal(price),
      ...sizes,
      provenance: 'venue_reported',
    });
  }

  private sizesOf(quantity: string, price: string): { size: string; venueSize?: string } {
    const { contractValue } = this.place.instrument;
    return contractValue === undefined
      ? { size: normalizeDecimal(quantity) }
      : { size: inverseSize(quantity, contractValue, price), venueSize: quantity };
  }
}
