import type { BookLevel } from '../event';
import { IGNORED, type NotTaken, rejected } from '../not-taken';
import { positiveDecimal } from '../positive-decimal';
import type { RejectionReason } from '../rejections';
import { bookFault } from './book-fault';
import type { HyperliquidMessage, HyperliquidTrade } from './message';

/** What a collector file holds, told by its header. */
export type CollectorKind = 'orderbooks' | 'prices' | 'trades';

const HEADERS: readonly (readonly [CollectorKind, string])[] = [
  ['orderbooks', 'timestamp,sequence,exchange_timestamp,bid_price_0,bid_size_0,ask_price_0,ask_size_0'],
  ['prices', 'timestamp,price,size,side,exchange_timestamp'],
  ['trades', 'timestamp,price,size,side,trade_id,exchange_timestamp'],
];
const LEVELS = 20;
const COLUMNS_BEFORE_LEVELS = 3;
const TIME = /^[0-9]{1,15}$/;
const TRADE_ID = /^[0-9]{1,20}$/;

/** The kind that a first line announces; undefined when it is no collector header. */
export function collectorKindOf(header: string): CollectorKind | undefined {
  return HEADERS.find(([kind, start]) => (kind === 'orderbooks' ? header.startsWith(start) : header === start))?.[0];
}

/**
 * Reads a row of a collector CSV. `prices` rows (best bid and offer) are no part of the log: the books carry both, and their
 * sizes, at the same times. Never throws.
 */
export function readCollectorRow(row: string, kind: CollectorKind): HyperliquidMessage {
  switch (kind) {
    case 'orderbooks':
      return readBook(row.split(','));
    case 'prices':
      return IGNORED;
    case 'trades':
      return { type: 'trades', isAnswer: false, trades: [readTrade(row.split(','))] };
  }
}

function readBook(cells: readonly string[]): HyperliquidMessage {
  const time = cells[2] ?? '';
  if (!TIME.test(time)) return rejected('unknown_message');
  const bids = readSide(cells, COLUMNS_BEFORE_LEVELS);
  if (typeof bids === 'string') return rejected(bids);
  const asks = readSide(cells, COLUMNS_BEFORE_LEVELS + 2);
  if (typeof asks === 'string') return rejected(asks);
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs: Number(time), bids, asks } : rejected(fault);
}

/** A side with fewer levels than there are columns ends at the first empty price. */
function readSide(cells: readonly string[], first: number): BookLevel[] | RejectionReason {
  const levels: BookLevel[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const [priceCell = '', sizeCell = ''] = cells.slice(first + level * 4, first + level * 4 + 2);
    if (priceCell === '') break;
    const price = positiveDecimal(priceCell);
    if (price === undefined) return 'bad_price';
    const size = positiveDecimal(sizeCell);
    if (size === undefined) return 'bad_size';
    levels.push({ price, size });
  }
  return levels;
}

function readTrade([, priceCell, sizeCell, side, id = '', time = '']: readonly string[]): HyperliquidTrade | NotTaken {
  if (!TIME.test(time) || !TRADE_ID.test(id) || (side !== 'buy' && side !== 'sell')) return rejected('unknown_message');
  const price = positiveDecimal(priceCell);
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(sizeCell);
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs: Number(time), id, price, size, aggressorSide: side };
}
