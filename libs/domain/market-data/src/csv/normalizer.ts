import { BookSampler, type ChangingBook } from '../book-sampler';
import { BookSide } from '../book-side';
import { inverseSize } from '../inverse-size';
import type { LogPlace, LogWriter } from '../log-writer';
import type { Normalizer } from '../normalizer';
import { RecentIds } from '../recent-ids';
import { noRejections, type RejectionReason } from '../rejections';
import { timeFault } from '../feed-clock';
import type { CsvBook, CsvLevels, CsvMessage } from './read-row';

/** The newest of the books that come whole. Its time is its id. */
class WholeBook implements ChangingBook {
  readonly bids = new BookSide(1);
  readonly asks = new BookSide(-1);
  lastChangeMs = 0;

  get lastId(): number {
    return this.lastChangeMs;
  }

  replace({ timeMs, bids, asks }: CsvBook): void {
    this.lastChangeMs = timeMs;
    fill(this.bids, bids);
    fill(this.asks, asks);
  }
}

function fill(side: BookSide, { prices, sizes }: CsvLevels): void {
  side.clear();
  prices.forEach((price, index) => side.set(price, sizes[index] ?? 0));
}

/**
 * The normalizer of CSV files. Books are sampled as those of a venue that sends changes. A trade without an id is told from others by its
 * number among those of the recording; context entries and liquidations likewise.
 */
export class CsvNormalizer implements Normalizer<CsvMessage> {
  readonly rejections = noRejections();
  private readonly book = new WholeBook();
  private readonly sampler: BookSampler;
  private readonly tradeIds = new RecentIds();
  private entryTotal = 0;
  private lastExchangeMs = 0;

  constructor(
    private readonly place: LogPlace,
    private readonly log: LogWriter,
  ) {
    this.sampler = new BookSampler(place, log, this.book, this.rejections);
  }

  accept(message: CsvMessage): void {
    const fault = timeFault(message.timeMs, this.log.clockMs);
    if (fault !== undefined) return this.reject(fault);
    if (message.type === 'book' && message.timeMs < this.book.lastChangeMs) return this.reject('duplicate');
    if (message.type === 'trade' && message.id !== undefined && !this.tradeIds.add(message.id)) return this.reject('duplicate');
    this.lastExchangeMs = Math.max(this.lastExchangeMs, message.timeMs);
    this.sampler.message(message.timeMs);
    this.write(message);
  }

  tick(): void {
    this.sampler.tick();
  }

  finish(): void {
    this.sampler.finish(this.lastExchangeMs);
  }

  private write(message: CsvMessage): void {
    const { timeMs: exchangeTsMs } = message;
    switch (message.type) {
      case 'book':
        this.book.replace(message);
        return this.sampler.restored(exchangeTsMs);
      case 'trade': {
        const { id, price, aggressorSide } = message;
        return this.log.trade({ venueId: id ?? this.nextId(), exchangeTsMs, price, ...this.sizesOf(message), aggressorSide });
      }
      case 'liquidation': {
        const { price, positionSide } = message;
        const sizes = this.sizesOf(message);
        return this.log.liquidation({ venueId: this.nextId(), exchangeTsMs, positionSide, price, ...sizes, provenance: 'venue_reported' });
      }
      case 'context':
        return this.log.context({ venueId: this.nextId(), ...message.facts }, exchangeTsMs);
    }
  }

  /** Base units; on inverse contracts with the contracts as given. */
  private sizesOf({ price, size }: { readonly price: string; readonly size: string }): { size: string; venueSize?: string } {
    const { contractValue } = this.place.instrument;
    return contractValue === undefined ? { size } : { size: inverseSize(size, contractValue, price), venueSize: size };
  }

  private nextId(): string {
    return String(++this.entryTotal);
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}
