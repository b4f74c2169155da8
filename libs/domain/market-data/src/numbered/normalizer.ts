import { multiplyDecimals, plainDecimal, inverseSize, fundingOf } from '../decimal';
import type { TimedChannel } from '../event';
import { type LiveNormalizer, writeConnected, RecentIds } from '../normalizer';
import { type SampledBook, SampledNormalizer } from '../sampled-normalizer';
import type { LogPosition, LogWriter, ContextFacts } from '../log-writer';
import type { PlayedInstrument } from '../played-instrument';
import type { BookFrame, Entry, NumberedLiquidation, NumberedMessage, NumberedTrade, TickerFields, TickerFrame } from './message';
import { BookSide, type Levels } from '../book-side';

type Contracts = Pick<PlayedInstrument, 'contractValue' | 'contractSize'>;

/** Last known value of each field: venues send them in parts. */
class TickerContext {
  private fields: TickerFields = {};

  constructor(private readonly contracts: Contracts) {}

  take({ isSnapshot, isPart, fields }: TickerFrame): ContextFacts | undefined {
    this.fields = isSnapshot ? fields : { ...this.fields, ...fields };
    return isPart === true || Object.keys(fields).length === 0 ? undefined : this.facts();
  }

  clear(): void {
    this.fields = {};
  }

  /** The index price averages spot markets, like an oracle price. */
  private facts(): ContextFacts {
    const { fundingRate, fundingIntervalHour, openInterest, openInterestBase, markPrice, indexPrice, turnover24h } = this.fields;
    const intervalHours = fundingIntervalHour === undefined ? undefined : Number(fundingIntervalHour);
    return {
      ...(fundingRate !== undefined && fundingOf(fundingRate, intervalHours)),
      openInterest: openInterestBase ?? this.baseUnitsOf(openInterest, markPrice),
      markPrice,
      oraclePrice: indexPrice,
      dayVolume: turnover24h,
    };
  }

  private baseUnitsOf(openInterest: string | undefined, markPrice: string | undefined): string | undefined {
    const { contractValue, contractSize } = this.contracts;
    if (openInterest === undefined) return undefined;
    if (contractSize !== undefined) return multiplyDecimals(openInterest, contractSize);
    if (contractValue === undefined) return openInterest;
    return markPrice === undefined ? undefined : inverseSize(openInterest, contractValue, markPrice);
  }
}

type Verdict = 'next' | 'old' | 'waiting' | 'gap';

/**
 * A snapshot replaces the book; a change applies to the book with its previous id. Ids may restart: a later change with
 * a lower id is a gap, not a repeat.
 */
class NumberedBook implements SampledBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastId = 0;
  lastChangeMs = 0;
  private isWhole = false;

  constructor(private readonly contractSize: string | undefined) {}

  get hasBook(): boolean {
    return this.isWhole;
  }

  judge({ updateId, previousId, timeMs }: BookFrame): Verdict {
    if (!this.isWhole) return 'waiting';
    if (previousId === this.lastId) return 'next';
    return updateId <= this.lastId && timeMs <= this.lastChangeMs ? 'old' : 'gap';
  }

  apply(frame: BookFrame): void {
    if (frame.type === 'snapshot') this.lose();
    this.isWhole = true;
    this.lastId = frame.updateId;
    this.lastChangeMs = Math.max(this.lastChangeMs, frame.timeMs);
    this.change(this.bids, frame.bids);
    this.change(this.asks, frame.asks);
  }

  lose(): void {
    this.isWhole = false;
    this.bids.clear();
    this.asks.clear();
  }

  private change(side: BookSide, { prices, sizes }: Levels): void {
    const { contractSize } = this;
    for (let index = 0; index < prices.length; index++) {
      const size = sizes[index] ?? 0;
      side.set(prices[index] ?? 0, contractSize === undefined ? size : Number(multiplyDecimals(plainDecimal(size), contractSize)));
    }
  }
}

/**
 * For venues whose books are a snapshot and changes that name their predecessor: Bybit, OKX, Kraken. Book frames,
 * trades, liquidations and context tickers close book buckets.
 */
export class NumberedNormalizer extends SampledNormalizer<NumberedBook> implements LiveNormalizer<NumberedMessage> {
  private readonly context: TickerContext;
  private readonly tradeIds = new RecentIds();
  private readonly liquidationKeys = new RecentIds();
  private lastTradePrice: number | undefined;
  private lastPrice: { readonly first: number; readonly newest: number } | undefined;

  constructor(place: LogPosition, log: LogWriter) {
    super(place, log, new NumberedBook(place.instrument.contractSize));
    this.context = new TickerContext(place.instrument);
  }

  /** The venue's last price is that of the newest trade here, or unchanged since the connection began. */
  get isTradeQuiet(): boolean {
    return this.lastPrice !== undefined && this.lastPrice.newest === (this.lastTradePrice ?? this.lastPrice.first);
  }

  channelOf(message: NumberedMessage): TimedChannel | undefined {
    switch (message.type) {
      case 'snapshot':
      case 'delta':
        return 'book';
      case 'ticker':
        return message.isPart === true ? undefined : 'context';
      case 'entries':
        return message.channel === 'trade' ? 'trade' : undefined;
      case 'ignored':
      case 'rejected':
      case 'reconnected':
        return undefined;
    }
  }

  accept(message: NumberedMessage): void {
    switch (message.type) {
      case 'ignored':
        return;
      case 'rejected':
        return this.reject(message.reason);
      case 'reconnected':
        return this.reconnect();
      case 'snapshot':
      case 'delta':
        return this.takeBook(message);
      case 'ticker':
        return this.takeTicker(message);
      case 'entries':
        return this.takeEntries(message.entries);
    }
  }

  private takeBook(frame: BookFrame): void {
    if (!this.isTimely(frame.timeMs)) return;
    if (frame.type === 'snapshot') {
      this.sampler.message(frame.timeMs);
      this.book.apply(frame);
      return this.sampler.restored(this.book.lastChangeMs);
    }
    const verdict = this.book.judge(frame);
    if (verdict === 'gap') {
      this.sampler.waits();
      return this.loseBook(frame.timeMs);
    }
    this.sampler.message(frame.timeMs);
    if (verdict === 'waiting') return this.sampler.waits();
    if (verdict !== 'next') return;
    this.book.apply(frame);
    if (this.sampler.changed(frame.timeMs)) this.loseBook(frame.timeMs);
  }

  /** Liquidations have no id: equal ones are two in one frame, and a repeat in another. */
  private takeEntries(entries: readonly Entry[]): void {
    const known = new Set(
      entries
        .filter(isLiquidation)
        .map(keyOf)
        .filter((key) => this.liquidationKeys.has(key)),
    );
    for (const entry of entries) {
      if (entry.type === 'rejected') this.reject(entry.reason);
      else if (entry.type === 'no_trade') this.takeNoTrade(entry.number);
      else if (entry.type === 'trade') this.takeTrade(entry);
      else if (entry.type === 'liquidation') {
        if (known.has(keyOf(entry))) this.reject('duplicate');
        else this.takeLiquidation(entry);
      }
    }
  }

  private takeTrade({ timeMs, id, price, quantity, aggressorSide, number, liquidated }: NumberedTrade): void {
    if (!this.isTimely(timeMs)) return;
    if (!this.tradeIds.add(id)) return this.reject('duplicate');
    this.sampler.message(timeMs);
    if (number !== undefined) this.tradeNumbers.trade(number, timeMs);
    this.lastTradePrice = Number(price);
    const sizes = this.sizesOf(quantity, price);
    this.log.trade({ venueId: id, exchangeTsMs: timeMs, price, ...sizes, aggressorSide });
    if (liquidated !== undefined)
      this.log.liquidation({ venueId: id, exchangeTsMs: timeMs, positionSide: liquidated, price, ...sizes, provenance: 'venue_reported' });
  }

  private takeNoTrade(number: number): void {
    this.reject('no_trade');
    this.tradeNumbers.came(number);
  }

  private takeLiquidation({ timeMs, positionSide, price, quantity }: NumberedLiquidation): void {
    if (!this.isTimely(timeMs)) return;
    this.liquidationKeys.add(keyOf({ timeMs, positionSide, price, quantity }));
    this.sampler.message(timeMs);
    this.log.liquidation({
      venueId: '',
      exchangeTsMs: timeMs,
      positionSide,
      price,
      ...this.sizesOf(quantity, price),
      provenance: 'venue_reported',
    });
  }

  private takeTicker(frame: TickerFrame): void {
    const { lastPrice } = frame;
    if (lastPrice !== undefined) this.lastPrice = { first: this.lastPrice?.first ?? Number(lastPrice), newest: Number(lastPrice) };
    const facts = this.context.take(frame);
    if (facts === undefined || !this.isTimely(frame.timeMs)) return;
    this.sampler.message(frame.timeMs);
    this.log.context({ venueId: frame.id, ...facts }, frame.timeMs);
  }

  private sizesOf(quantity: string, price: string): { size: string; venueSize?: string } {
    const { contractValue, contractSize } = this.place.instrument;
    if (contractValue !== undefined) return { size: inverseSize(quantity, contractValue, price), venueSize: quantity };
    return { size: contractSize === undefined ? quantity : multiplyDecimals(quantity, contractSize) };
  }

  /** The venue sends a new snapshot and full ticker; nothing is known until then. */
  private reconnect(): void {
    if (this.book.hasBook) this.loseBook(this.log.clockMs);
    this.context.clear();
    writeConnected(this.place, this.log);
  }
}

function isLiquidation(entry: Entry): entry is NumberedLiquidation {
  return entry.type === 'liquidation';
}

function keyOf({ timeMs, positionSide, price, quantity }: Omit<NumberedLiquidation, 'type'>): string {
  return `${timeMs} ${positionSide} ${price} ${quantity}`;
}
