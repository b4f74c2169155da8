import type { BookLevel } from '../event';
import { isCount, isObject, type Json } from '../json';
import { rejected, type RejectionReason } from '../rejections';
import { positiveDecimal } from '../decimal';
import type { HyperliquidMessage } from './message';

/** Crossed sides are left to the normalizer. */
export function bookFault(bids: readonly BookLevel[], asks: readonly BookLevel[]): RejectionReason | undefined {
  if (bids.length === 0 || asks.length === 0) return 'one_sided_book';
  return isSorted(bids, -1) && isSorted(asks, 1) ? undefined : 'unknown_message';
}

/** Equal best prices are not crossed. */
export function isCrossed(bids: readonly BookLevel[], asks: readonly BookLevel[]): boolean {
  return Number(bids[0]?.price) > Number(asks[0]?.price);
}

function isSorted(levels: readonly BookLevel[], direction: 1 | -1): boolean {
  return levels.every(({ price }, index) => index === 0 || (Number(price) - Number(levels[index - 1]?.price)) * direction > 0);
}

/** `l2Book`: `levels[0]` bids, `levels[1]` asks. */
export function readBook({ time: timeMs, levels }: Json): HyperliquidMessage {
  if (!isCount(timeMs) || !Array.isArray(levels) || levels.length !== 2) return rejected('unknown_message');
  const [bids, asks] = (levels as unknown[]).map(readSide);
  if (!Array.isArray(bids)) return rejected(bids ?? 'unknown_message');
  if (!Array.isArray(asks)) return rejected(asks ?? 'unknown_message');
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs, bids, asks } : rejected(fault);
}

/** `bbo`: `[bid, ask]`, null for an empty side. */
export function readBestPrices({ time: timeMs, bbo }: Json): HyperliquidMessage {
  if (!isCount(timeMs) || !Array.isArray(bbo) || bbo.length !== 2) return rejected('unknown_message');
  const [bid, ask] = (bbo as unknown[]).map((level) => (level === null ? null : readLevel(level)));
  if (bid === undefined || ask === undefined) return rejected('unknown_message');
  if (typeof bid === 'string') return rejected(bid);
  if (typeof ask === 'string') return rejected(ask);
  return { type: 'best', timeMs, bid, ask };
}

function readSide(value: unknown): BookLevel[] | RejectionReason {
  if (!Array.isArray(value)) return 'unknown_message';
  const levels: BookLevel[] = [];
  for (const each of value as unknown[]) {
    const level = readLevel(each);
    if (typeof level === 'string') return level;
    levels.push(level);
  }
  return levels;
}

function readLevel(level: unknown): BookLevel | RejectionReason {
  if (!isObject(level)) return 'unknown_message';
  const price = positiveDecimal(level['px']);
  if (price === undefined) return 'bad_price';
  const size = positiveDecimal(level['sz']);
  return size === undefined ? 'bad_size' : { price, size };
}
