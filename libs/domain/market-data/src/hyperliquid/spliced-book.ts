import type { BookLevel } from '../event';
import type { WholeBook } from './message';

/** Levels of a side of a push at the default pace; a push that has fewer on both sides may be one at the fast pace. */
const WHOLE_LEVELS = 20;
/** The slowest default pace by the venue's word, and some: behind it, a book says nothing of now. */
const TAIL_MS_MAX = 5_500;

/** Whether a push may be only the top of the book. */
export function isShallow({ bids, asks }: WholeBook): boolean {
  return bids.length < WHOLE_LEVELS && asks.length < WHOLE_LEVELS;
}

/**
 * A shallow push with the levels behind it that a deeper, older one had. Where the push speaks, it alone is believed; what it does not
 * reach is taken from the older book as long as the two touch on both sides, so that no price between them is unknown, and as long as that
 * is not older than 5.5 s. No level is ever better than one of the push, so the result is crossed only if the push is.
 */
export function spliced(push: WholeBook, deeper: WholeBook | undefined): WholeBook {
  if (deeper === undefined || push.timeMs - deeper.timeMs > TAIL_MS_MAX) return push;
  if (!touches(push.bids, deeper.bids, -1) || !touches(push.asks, deeper.asks, 1)) return push;
  return { type: 'book', timeMs: push.timeMs, bids: withTail(push.bids, deeper.bids, -1), asks: withTail(push.asks, deeper.asks, 1) };
}

/** Whether the older side begins within what the push reaches. @param away the direction in which prices get worse */
function touches(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): boolean {
  return (Number(push.at(-1)?.price) - Number(older[0]?.price)) * away >= 0;
}

function withTail(push: readonly BookLevel[], older: readonly BookLevel[], away: 1 | -1): readonly BookLevel[] {
  const worst = Number(push.at(-1)?.price);
  return [...push, ...older.filter(({ price }) => (Number(price) - worst) * away > 0)].slice(0, WHOLE_LEVELS);
}
