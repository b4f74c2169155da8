import { BookSide, type Levels } from '../book-side';
import type { CsvBook, CsvContext, CsvMessage } from '../csv/read-row';
import type { Channel } from '../event';
import { timeFault, type Normalizer, RecentIds } from '../normalizer';
import { gapIdOf, writeTradeGap } from '../gap-id';
import { inverseSize } from '../decimal';
import type { LogPosition, LogWriter } from '../log-writer';
import type { RejectionReason } from '../rejections';
import { type SampledBook, SampledNormalizer } from '../sampled-normalizer';

/** Levels set to a new size; size 0 removes one. A snapshot replaces the book. */
export interface BookChanges {
  readonly type: 'changes';
  readonly timeMs: number;
  readonly isSnapshot: boolean;
  readonly bids: Levels;
  readonly asks: Levels;
}

/** Unreadable row: its content is missing from the channel. */
export interface BrokenRow {
  readonly type: 'broken';
  readonly channel: Exclude<Channel, 'control'>;
  readonly reason: RejectionReason;
}

export type TableMessage = CsvMessage | BookChanges | BrokenRow;

class TableBook implements SampledBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastChangeMs = 0;
  hasBook = false;

  get lastId(): number {
    return this.lastChangeMs;
  }

  /** Stamps never fall. */
  apply({ timeMs, bids, asks }: CsvBook | BookChanges): void {
    this.lastChangeMs = Math.max(this.lastChangeMs, timeMs);
    this.hasBook = true;
    set(this.bids, bids);
    set(this.asks, asks);
  }

  lose(): void {
    this.hasBook = false;
    this.bids.clear();
    this.asks.clear();
  }
}

function set(side: BookSide, { prices, sizes }: Levels): void {
  prices.forEach((price, index) => side.set(price, sizes[index] ?? 0));
}

/** Times of a channel's newest row. */
interface NewestRow {
  readonly clockMs: number;
  readonly exchangeMs: number;
}

/**
 * Rows of tables: CSV files and users' archives. Trades without ids, contexts and liquidations are numbered within the
 * recording. A context keeps the last known value of each field. Where rows are missing, gaps are written: unreadable
 * rows, missing trade numbers, a book that starts again, and silence beyond the staleness limit of the instrument.
 */
export class TableNormalizer extends SampledNormalizer<TableBook> implements Normalizer<TableMessage> {
  private readonly tradeIds = new RecentIds();
  private facts: CsvContext['facts'] = {};
  private entryTotal = 0;
  private readonly newest: { book?: NewestRow; trade?: NewestRow } = {};
  private isTradeBroken = false;
  private lastTradeMs = 0;
  private isNumbered = false;

  /** @param isArchive rows that were not checked as a whole before, with gaps and contexts in parts */
  constructor(
    place: LogPosition,
    log: LogWriter,
    private readonly isArchive: boolean,
  ) {
    super(place, log, new TableBook());
  }

  accept(message: TableMessage): void {
    if (message.type === 'broken') return this.lose(message.channel, message.reason, this.log.clockMs);
    const { type, timeMs } = message;
    const channel = type === 'changes' ? 'book' : type;
    const fault = timeFault(timeMs, this.log.clockMs);
    if (fault !== undefined) return this.lose(channel, fault, this.log.clockMs);
    if (type === 'book' && timeMs < this.book.lastChangeMs) return this.reject('duplicate');
    if (type === 'trade' && message.id !== undefined && !this.tradeIds.add(message.id)) return this.reject('duplicate');
    this.lastExchangeMs = Math.max(this.lastExchangeMs, timeMs);
    this.checkSilence(channel, timeMs);
    this.write(message);
  }

  private write(message: Exclude<TableMessage, BrokenRow>): void {
    const { timeMs: exchangeTsMs } = message;
    if (message.type === 'changes') return this.change(message);
    this.sampler.message(exchangeTsMs);
    switch (message.type) {
      case 'book':
        this.book.lose();
        this.book.apply(message);
        return this.sampler.restored(exchangeTsMs);
      case 'trade': {
        const { id, number, price, aggressorSide } = message;
        this.checkTrades(number, exchangeTsMs);
        return this.log.trade({ venueId: id ?? this.nextId(), exchangeTsMs, price, ...this.sizesOf(message), aggressorSide });
      }
      case 'liquidation': {
        const { price, positionSide } = message;
        const sizes = this.sizesOf(message);
        return this.log.liquidation({ venueId: this.nextId(), exchangeTsMs, positionSide, price, ...sizes, provenance: 'venue_reported' });
      }
      case 'context':
        this.facts = this.isArchive ? { ...this.facts, ...message.facts } : message.facts;
        return this.log.context({ venueId: this.nextId(), ...this.facts }, exchangeTsMs);
    }
  }

  private change(changes: BookChanges): void {
    const { timeMs, isSnapshot } = changes;
    if (!isSnapshot) {
      this.sampler.message(timeMs);
      if (!this.book.hasBook) return this.sampler.waits();
      this.book.apply(changes);
      if (this.sampler.changed(timeMs)) this.loseBook(timeMs);
      return;
    }
    // Collectors send a snapshot only when they subscribe: what came between is unknown.
    if (this.book.hasBook) this.sampler.lost(timeMs, { reason: 'disconnected' });
    else this.sampler.message(timeMs);
    this.book.lose();
    this.book.apply(changes);
    this.sampler.restored(this.book.lastChangeMs);
  }

  private checkTrades(number: number | undefined, timeMs: number): void {
    if (number !== undefined) {
      this.isNumbered = true;
      this.tradeNumbers.trade(number, timeMs);
    } else if (this.isTradeBroken && this.lastTradeMs > 0) {
      writeTradeGap(this.place, this.log, { startMs: this.lastTradeMs, endMs: Math.max(this.lastTradeMs, timeMs), lastVenueId: '' });
    }
    this.isTradeBroken = false;
    this.lastTradeMs = timeMs;
  }

  private lose(channel: BrokenRow['channel'], reason: RejectionReason, timeMs: number): void {
    this.reject(reason);
    if (!this.isArchive) return;
    if (channel === 'trade') this.isTradeBroken = true;
    else if (channel === 'book' && this.book.hasBook) this.loseBook(Math.max(timeMs, this.book.lastChangeMs));
  }

  /** Silence of the book, or of everything, beyond the instrument's limit. Numbered trades show their gaps by number. */
  private checkSilence(channel: BrokenRow['channel'], exchangeMs: number): void {
    if (!this.isArchive || (channel !== 'book' && channel !== 'trade')) return;
    const { bookStalenessMs, tradeStalenessMs } = this.place.instrument;
    const { book, trade } = this.newest;
    const now = { clockMs: this.log.clockMs, exchangeMs };
    const last = (book?.clockMs ?? 0) > (trade?.clockMs ?? 0) ? book : trade;
    const limitMs = book !== undefined ? bookStalenessMs : this.isNumbered ? Infinity : tradeStalenessMs;
    if (last !== undefined && now.clockMs - last.clockMs > limitMs) {
      this.writeSilence(last, undefined, exchangeMs);
      if (book !== undefined) this.newest.book = now;
    } else if (channel === 'book' && book !== undefined && this.book.hasBook && now.clockMs - book.clockMs > bookStalenessMs)
      this.writeSilence(book, 'book', exchangeMs);
    this.newest[channel] = now;
  }

  private writeSilence({ exchangeMs: startMs }: NewestRow, channel: 'book' | undefined, endMs: number): void {
    const { venue, symbol } = this.place.instrument;
    const reason = 'disconnected';
    const identity = { venue, symbol, pass: this.place.pass, reason, startMs: startMs + this.log.shiftMs, lastVenueId: '' } as const;
    const gapId = gapIdOf({ ...identity, ...(channel && { channel }) });
    this.log.status({ type: 'gap', gapId, ...(channel && { channel }), startMs, endMs: Math.max(startMs, endMs), reason }, endMs);
  }

  private sizesOf({ price, size }: { readonly price: string; readonly size: string }): { size: string; venueSize?: string } {
    const { contractValue } = this.place.instrument;
    return contractValue === undefined ? { size } : { size: inverseSize(size, contractValue, price), venueSize: size };
  }

  private nextId(): string {
    return String(++this.entryTotal);
  }
}

/** Context rows can be old values sent again. */
export function tableTimesOf(message: TableMessage): readonly number[] {
  return message.type === 'context' || message.type === 'broken' ? [] : [message.timeMs];
}
