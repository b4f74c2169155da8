import type { LogWriter } from '../log-writer';
import type { Normalizer } from '../normalizer';
import { RecentIds } from '../recent-ids';
import { noRejections, type RejectionReason } from '../rejections';
import { timeFault } from '../time-fault';
import type { AssetContext, HyperliquidMessage, HyperliquidTrade, WholeBook } from './message';

/**
 * The normalizer of one Hyperliquid coin. Every push of a whole book that is new gives one book entry at once, with its time
 * as venue id; the same time again is the same book. Trades that come again in the backlog of a new subscription are left
 * out by id; old ones that are new here are logged with the time they had. Context has no venue time: it takes the feed
 * clock, flagged. Silence is nothing: books just stop, and whoever reads the log sees how old the last one is.
 */
export class HyperliquidNormalizer implements Normalizer<HyperliquidMessage> {
  readonly rejections = noRejections();
  private readonly tradeIds = new RecentIds();
  private lastBookMs: number | undefined;

  constructor(private readonly log: LogWriter) {}

  accept(message: HyperliquidMessage): void {
    switch (message.type) {
      case 'ignored':
        return;
      case 'rejected':
        return this.reject(message.reason);
      case 'book':
        return this.takeBook(message);
      case 'trades':
        for (const trade of message.trades) {
          if (trade.type === 'trade') this.takeTrade(trade);
          else if (trade.type === 'rejected') this.reject(trade.reason);
        }
        return;
      case 'context':
        return this.takeContext(message);
    }
  }

  /** Nothing waits for a tick: books are pushed whole. */
  tick(): void {}

  finish(): void {}

  private takeBook({ timeMs, bids, asks }: WholeBook): void {
    const fault = timeFault(timeMs, this.log.clockMs) ?? (timeMs === this.lastBookMs ? 'duplicate' : undefined);
    if (fault !== undefined) return this.reject(fault);
    this.lastBookMs = timeMs;
    this.log.book({ venueId: String(timeMs), exchangeTsMs: timeMs, bids, asks });
  }

  private takeTrade({ timeMs, id, price, size, aggressorSide }: HyperliquidTrade): void {
    const fault = timeFault(timeMs, this.log.clockMs) ?? (this.tradeIds.add(id) ? undefined : 'duplicate');
    if (fault !== undefined) return this.reject(fault);
    this.log.trade({ venueId: id, exchangeTsMs: timeMs, price, size, aggressorSide });
  }

  private takeContext({ type: _type, ...facts }: AssetContext): void {
    this.log.context({ venueId: '', ...facts });
  }

  private reject(reason: RejectionReason): void {
    this.rejections[reason]++;
  }
}
