import { BookSampler } from '../book-sampler';
import { writeConnected } from '../connected';
import type { LogPlace, LogWriter } from '../log-writer';
import type { Normalizer } from '../normalizer';
import { RecentIds } from '../recent-ids';
import { noRejections, type RejectionReason } from '../rejections';
import { timeFault } from '../time-fault';
import { DeltaBook } from './delta-book';
import type { BookFrame, BybitLiquidation, BybitMessage, BybitTrade, TickerFrame } from './message';
import { TickerContext } from './ticker-context';

/**
 * The normalizer of one Bybit linear perpetual. Books are sampled as on other venues that send changes; those that close a
 * bucket are book frames, trades, liquidations and tickers that carry context. Sizes are in base units as sent.
 */
export class BybitNormalizer implements Normalizer<BybitMessage> {
  readonly rejections = noRejections();
  private readonly book = new DeltaBook();
  private readonly sampler: BookSampler;
  private readonly context = new TickerContext();
  private readonly tradeIds = new RecentIds();
  private lastExchangeMs = 0;

  constructor(
    private readonly place: LogPlace,
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

  /** The venue sends a snapshot and a full ticker again; until then nothing is known. */
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
