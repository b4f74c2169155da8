import type { BookEvent, BookLevel, FeedStatus } from '@market-state/market-data';
import type { RecordedMessage } from './recorded-market';
import type { Followed } from './follow-market';
import type { ToldLevel, TrueBook } from './true-book';

const EVENT_LEVELS = 25;
const DEEP_LEVELS = 1_000;

export interface CheckInput {
  readonly followed: Followed;
  /** The unbroken stretch, and the book before it. */
  readonly made: readonly RecordedMessage[];
  readonly book: TrueBook;
  /** Exchange times of the diffs that the client did not get in their place. */
  readonly missedMs: readonly number[];
  /** Trade ids that came without a trade. */
  readonly withoutTrade: ReadonlySet<number>;
}

/** Sentences that name what does not hold of what a client made of a venue; none where all does. */
export function checkFollowed({ followed, made, book, missedMs, withoutTrade }: CheckInput): string[] {
  const faults: string[] = [];
  const byId = new Map<number, BookEvent[]>();
  for (const event of followed.books) byId.set(Number(event.venueId), [...(byId.get(Number(event.venueId)) ?? []), event]);
  const compare = (): void => {
    for (const event of byId.get(book.lastId) ?? []) {
      if (!isBook(event.bids, event.asks, book)) faults.push(`the book of update ${event.venueId} is not the venue's`);
    }
    byId.delete(book.lastId);
  };
  compare();
  for (const { diff } of made) {
    if (diff === undefined) continue;
    book.apply(diff);
    compare();
  }
  for (const id of byId.keys()) faults.push(`there is a book of update ${id}, which the venue never made`);
  for (const { bids, asks, venueId } of followed.books) {
    if (Number(bids[0]?.price) > Number(asks[0]?.price)) faults.push(`the book of update ${venueId} is crossed`);
  }
  faults.push(...checkGaps(followed, missedMs), ...checkTrades(followed, made, withoutTrade), ...checkLast(followed, book));
  return faults;
}

/** Every change that was missed lies before the first book or in a gap that has ended. */
function checkGaps({ statuses, books }: Followed, missedMs: readonly number[]): string[] {
  const spans = endedGaps(statuses);
  const firstMs = books[0]?.exchangeTsMs ?? Infinity;
  const untold = missedMs.filter((timeMs) => timeMs > firstMs && !spans.some(({ startMs, endMs }) => startMs <= timeMs && timeMs <= endMs));
  const open = new Set(statuses.flatMap((status) => (status.type === 'gap' && status.endMs === 0 ? [status.gapId] : [])));
  for (const { gapId } of spans) open.delete(gapId);
  return [
    ...untold.map((timeMs) => `a change of ${timeMs} is missing and no gap tells`),
    ...[...open].map((gapId) => `${gapId} never ends`),
  ];
}

/**
 * No trade is logged twice, and every one behind the first that is missing lies in a gap of the trades or of all channels that has ended.
 */
function checkTrades({ statuses, trades }: Followed, all: readonly RecordedMessage[], withoutTrade: ReadonlySet<number>): string[] {
  const made = all.filter(({ trade }) => trade === undefined || !withoutTrade.has(trade.t));
  const spans = endedGaps(statuses).filter(({ channel }) => channel === undefined || channel === 'trade');
  const logged = new Set(trades.map(({ venueId }) => Number(venueId)));
  const first = Number(trades[0]?.venueId);
  const missing = made.flatMap(({ trade }) => (trade !== undefined && trade.t > first && !logged.has(trade.t) ? [trade] : []));
  const untold = missing.filter(({ T }) => !spans.some(({ startMs, endMs }) => startMs <= T && T <= endMs));
  return [
    ...untold.map(({ t, T }) => `trade ${t} of ${T} is missing and no gap tells`),
    ...(logged.size === trades.length ? [] : ['a trade was logged twice']),
    ...[...withoutTrade].filter((id) => logged.has(id)).map((id) => `trade ${id} was logged, which was none`),
  ];
}

function endedGaps(statuses: readonly FeedStatus[]): readonly Extract<FeedStatus, { type: 'gap' | 'resynced' }>[] {
  return statuses.flatMap((status) => ((status.type === 'gap' && status.endMs > 0) || status.type === 'resynced' ? [status] : []));
}

/** The last book is the venue's last, level by level. */
function checkLast({ last }: Followed, book: TrueBook): string[] {
  if (last?.deepBook === undefined || last.event.kind !== 'book') return ['no book came at all'];
  if (Number(last.event.venueId) !== book.lastId)
    return [`the last book is of update ${last.event.venueId}, the venue's of ${book.lastId}`];
  const { bids, asks } = last.deepBook.levels(DEEP_LEVELS);
  return isBook(bids, asks, book) ? [] : ["the last book is not the venue's"];
}

function isBook(bids: readonly BookLevel[], asks: readonly BookLevel[], book: TrueBook): boolean {
  return book.isSide('bids', bids.map(toldLevel), EVENT_LEVELS) && book.isSide('asks', asks.map(toldLevel), EVENT_LEVELS);
}

/** Quantities are compared as the venue counts them: contracts, where they are contracts. */
function toldLevel({ price, size, venueSize }: BookLevel): ToldLevel {
  return [price, venueSize ?? size];
}
