import { BookSampler, type ChangingBook } from '../book-sampler';
import { writeConnected, type Normalizer } from '../normalizer';
import type { LogPosition, LogWriter, ContextFacts } from '../log-writer';
import { RecentIds } from '../recent-ids';
import { noRejections, type RejectionReason } from '../rejections';
import { timeFault } from '../feed-clock';
import type { BookFrame, BybitLiquidation, BybitMessage, BybitTrade, TickerFrame, Levels, TickerFields } from './message';
import { BookSide } from '../book-side';
import { fundingOf } from '../funding-rate';

class TickerContext {
  private fields: TickerFields = {};

  take({ isSnapshot, fields }: TickerFrame): ContextFacts | undefined {
    this.fields = isSnapshot ? fields : { ...this.fields, ...fields };
    return Object.keys(fields).length === 0 ? undefined : contextOf(this.fields);
  }

  clear(): void {
    this.fields = {};
  }
}

/**
 * `fundingRate` is per payment; `turnover24h` is in quote currency. `indexPrice` averages spot markets, like an oracle
 * price.
 */
function contextOf({ fundingRate, fundingIntervalHour, openInterest, markPrice, indexPrice, turnover24h }: TickerFields): ContextFacts {
  const intervalHours = fundingIntervalHour === undefined ? undefined : Number(fundingIntervalHour);
  return {
    ...(fundingRate !== undefined && fundingOf(fundingRate, intervalHours)),
    openInterest,
    markPrice,
    oraclePrice: indexPrice,
    dayVolume: turnover24h,
  };
}

type DeltaVerdict = 'next' | 'old' | 'waiting' | 'gap';

/** Snapshots replace the book; each delta's `u` is one above the previous frame's. */
class DeltaBook implements ChangingBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastId = 0;
  lastChangeMs = 0;
  private isWhole = false;

  get hasBook(): boolean {
    return this.isWhole;
  }

  judge({ updateId }: BookFrame): DeltaVerdict {
    if (!this.isWhole) return 'waiting';
    if (updateId === this.lastId + 1) return 'next';
    return updateId <= this.lastId ? 'old' : 'gap';
  }

  apply(frame: BookFrame): void {
    if (frame.type === 'snapshot') this.lose();
    this.isWhole = true;
    this.lastId = frame.updateId;
    this.lastChangeMs = Math.max(this.lastChangeMs, frame.timeMs);
    change(this.bids, frame.bids);
    change(this.asks, frame.asks);
  }

  lose(): void {
    this.isWhole = false;
    this.bids.clear();
    this.asks.clear();
  }
}

function change(side: BookSide, { prices, sizes }: Levels): void {
  for (let index = 0; index < prices.length; index++) side.set(prices[index] ?? 0, sizes[index] ?? 0);
}

/** Book frames, trades, liquidations and context tickers close book buckets. */
export class BybitNormalizer implements Normalizer<BybitMessage> {
  readonly rejections = noRejections();
  private readonly book = new DeltaBook();
  private readonly sampler: BookSampler;
  private readonly context = new TickerContext();
  private readonly tradeIds = new RecentIds();
  private lastExchangeMs = 0;

  constructor(
    private readonly place: LogPosition,
    private readonly log: LogWriter,
  ) {
    this.sampler = new BookSampler(place, log, this.book, this.rejections);
  }

  accept(message: BybitMessage): void {
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
        for (const entry of message.entries) {
          if (entry.type === 'rejected') this.reject(entry.reason);
          else if (entry.type !== 'ignored') this.takeEntry(entry);
        }
    }
  }

  tick(): void {
    this.sampler.tick();
  }

  finish(): void {
    this.sampler.finish(this.lastExchangeMs);
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

  private takeEntry(entry: BybitTrade | BybitLiquidation): void {
    const { timeMs, price, size } = entry;
    if (!this.isTimely(timeMs)) return;
    if (entry.type === 'trade' && !this.tradeIds.add(entry.id)) return this.reject('duplicate');
    this.sampler.message(timeMs);
    if (entry.type === 'trade')
      this.log.trade({ venueId: entry.id, exchangeTsMs: timeMs, price, size, aggressorSide: entry.aggressorSide });
    else
      this.log.liquidation({
        venueId: '',
        exchangeTsMs: timeMs,
        positionSide: entry.positionSide,
        price,
        size,
        provenance: 'venue_reported',
      });
  }

  private takeTicker(frame: TickerFrame): void {
    const facts = this.context.take(frame);
    if (facts === undefined || !this.isTimely(frame.timeMs)) return;
    this.sampler.message(frame.timeMs);
    this.log.context({ venueId: frame.id, ...facts }, frame.timeMs);
  }

  /** The venue sends a new snapshot and full ticker; nothing is known until then. */
  private reconnect(): void {
    if (this.book.hasBook) this.loseBook(this.log.clockMs);
    this.context.clear();
    writeConnected(this.place, this.log);
  }

  private loseBook(exchangeTsMs: number): void {
    this.sampler.lost(exchangeTsMs);
    this.book.lose();
  }

  private isTimely(timeMs: number): boolean {
    const fault = timeFault(timeMs, this.log.clockMs);
    if (fault !== undefined) this.reject(fault);
    else this.lastExchangeMs = Math.max(this.lastExchangeMs, timeMs);
    return fault === undefined;
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}
