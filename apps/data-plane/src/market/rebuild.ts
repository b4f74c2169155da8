import { type EntryId, type EventLog, LOG_START } from '@market-state/event-log';
import { decodeEvent, type FeedStatusEvent, type MarketEvent } from '@market-state/market-data';
import type { SymbolMarket } from './symbol-market';
import { TAPE_LENGTH } from './trade-tape';

const PAGE = 2_000;

export interface RebuildDeps {
  readonly log: Pick<EventLog, 'readLast' | 'readBefore'>;
  /** The newest `connected` entry that was ever recorded: it may be older than what the log keeps. */
  readonly readConnection: (symbol: string) => Promise<FeedStatusEvent | undefined>;
}

interface Wanted {
  trades: number;
  book: boolean;
  connected: boolean;
}

function isEnough({ trades, book, connected }: Wanted): boolean {
  return trades >= TAPE_LENGTH && book && connected;
}

function count(wanted: Wanted, event: MarketEvent): void {
  if (event.kind === 'trade') wanted.trades += 1;
  if (event.kind === 'book') wanted.book = true;
  if (event.kind === 'feed_status' && event.status.type === 'connected') wanted.connected = true;
}

/**
 * Fills an empty market from the end of its log, reading backwards until the tape is full and book and venue facts are
 * known, or the log ends; gives back the place from which to follow on.
 */
export async function rebuild(deps: RebuildDeps, market: SymbolMarket): Promise<EntryId> {
  const connection = await deps.readConnection(market.symbol);
  const wanted: Wanted = { trades: 0, book: false, connected: connection !== undefined };
  const pages: MarketEvent[][] = [];
  let page = await deps.log.readLast(market.symbol, PAGE);
  const end = page.at(-1);
  while (page.length > 0) {
    const events = page.map((entry) => decodeEvent(entry.payload));
    for (const event of events) count(wanted, event);
    pages.push(events);
    const [first] = page;
    if (isEnough(wanted) || first === undefined) break;
    page = await deps.log.readBefore(market.symbol, first, PAGE);
  }
  if (connection !== undefined) market.apply(connection);
  for (const events of pages.reverse()) for (const event of events) market.apply(event);
  return end === undefined ? LOG_START : { epoch: end.epoch, ordinal: end.ordinal };
}
