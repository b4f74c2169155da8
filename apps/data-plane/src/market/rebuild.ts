import { type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { type SymbolMarket, TAPE_LENGTH } from '@market-state/live-market';
import { decodeEvent, type MarketEvent } from '@market-state/market-data';
import type { RecentMarket } from '../store/recent-market';
import { spanOfGap } from '../recorder/gap-ledger';
import { DAY_GAPS_MAX } from '../store/gap-list';

const PAGE = 2_000;

export interface RebuildDeps {
  readonly log: Pick<EventLog, 'readLast' | 'readBefore'>;
  /** What was recorded of a symbol that may be older than what the log keeps. */
  readonly readRecent: (symbol: string) => Promise<RecentMarket>;
}

/** What is looked for, reading backwards: of trades, books and ticks no more than the newest are kept. */
class Wanted {
  private trades = 0;
  private hasBook = false;
  private hasTick = false;

  /** Whether an entry is needed, read from the newest to the oldest. */
  take(event: MarketEvent): boolean {
    switch (event.kind) {
      case 'trade':
        return (this.trades += 1) <= TAPE_LENGTH;
      case 'book':
        return !this.hasBook && (this.hasBook = true);
      case 'tick':
        return !this.hasTick && (this.hasTick = true);
      case 'context':
      case 'liquidation':
      case 'feed_status':
        return true;
    }
  }

  get isEnough(): boolean {
    return this.trades >= TAPE_LENGTH && this.hasBook;
  }
}

/**
 * Fills an empty market from what was recorded and from the end of its log, reading backwards until the tape is full, a book is
 * there and the recorded part is reached, or the log ends; gives back the place from which to follow on.
 */
export async function rebuild(deps: RebuildDeps, market: SymbolMarket): Promise<EntryId> {
  const recent = await deps.readRecent(market.symbol);
  const wanted = new Wanted();
  const newestFirst: MarketEvent[] = [];
  let page = await deps.log.readLast(market.symbol, PAGE);
  const end = page.at(-1);
  while (page.length > 0) {
    for (const { payload } of [...page].reverse()) {
      const event = decodeEvent(payload);
      if (wanted.take(event)) newestFirst.push(event);
    }
    const [first] = page;
    if (first === undefined || (wanted.isEnough && first.ordinal <= recent.recordedOrdinal + 1)) break;
    page = await deps.log.readBefore(market.symbol, first, PAGE);
  }
  if (recent.gaps.length === DAY_GAPS_MAX) market.gaps.setPartial();
  for (const gap of recent.gaps) market.takeGap(spanOfGap(gap));
  const firstInLog = newestFirst.at(-1)?.ordinal ?? Infinity;
  for (const event of recent.events) if (event.ordinal < firstInLog || event.kind === 'liquidation') market.apply(event);
  for (const event of newestFirst.reverse()) market.apply(event);
  return end === undefined ? LOG_START : { epoch: end.epoch, ordinal: end.ordinal };
}
