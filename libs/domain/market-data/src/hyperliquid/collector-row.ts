import { cellsOf } from '../csv/columns';
import type { BookLevel } from '../event';
import { IGNORED, type NotTaken, rejected, type RejectionReason } from '../rejections';
import { positiveDecimal } from '../decimal';
import { bookFault } from './read-book';
import type { HyperliquidMessage, HyperliquidTrade } from './message';

/** What a collector file holds, told by its header. */
export type CollectorKind = 'orderbooks' | 'prices' | 'trades';

const COLUMNS: readonly (readonly [CollectorKind, readonly string[]])[] = [
  ['orderbooks', ['timestamp', 'exchange_timestamp', 'bid_price_0', 'bid_size_0', 'ask_price_0', 'ask_size_0']],
  ['trades', ['timestamp', 'price', 'size', 'side', 'trade_id', 'exchange_timestamp']],
  ['prices', ['timestamp', 'price', 'size', 'side', 'exchange_timestamp']],
];
const LEVELS = 20;
const TIME = /^[0-9]{1,15}$/;
const TRADE_ID = /^[0-9]{1,20}$/;

/** A collector's header: the kind of file, and where its columns stand. */
export interface CollectorHeader {
  readonly kind: CollectorKind;
  cell(cells: readonly string[], column: string): string;
}

/** Reads a first line, whose columns may stand in any order; undefined when it is no collector header. */
export function collectorHeader(line: string): CollectorHeader | undefined {
  const columns = new Map(cellsOf(line).map((name, index) => [name, index]));
  const kind = COLUMNS.find(([, names]) => names.every((name) => columns.has(name)))?.[0];
  return kind && { kind, cell: (cells, column) => cells[columns.get(column) ?? -1] ?? '' };
}

/**
 * Reads a row of a collector CSV. `prices` rows (best bid and offer) are no part of the log: the books carry both, and their
 * sizes, at the same times. Never throws.
 */
export function readCollectorRow(cells: readonly string[], { kind, cell }: CollectorHeader): HyperliquidMessage {
  switch (kind) {
    case 'orderbooks':
      return readBook((column) => cell(cells, column));
    case 'prices':
      return IGNORED;
    case 'trades':
      return { type: 'trades', isAnswer: false, trades: [readTrade((column) => cell(cells, column))] };
  }
}

type CellOf = (column: string) => string;

function readBook(cell: CellOf): HyperliquidMessage {
  const time = cell('exchange_timestamp');
  if (!TIME.test(time)) return rejected('unknown_message');
  const bids = readSide(cell, 'bid');
  if (typeof bids === 'string') return rejected(bids);
  const asks = readSide(cell, 'ask');
  if (typeof asks === 'string') return rejected(asks);
  const fault = bookFault(bids, asks);
  return fault === undefined ? { type: 'book', timeMs: Number(time), bids, asks } : rejected(fault);
}

/** A side with fewer levels than there are columns ends at the first empty price. */
function readSide(cell: CellOf, side: 'bid' | 'ask'): BookLevel[] | RejectionReason {
  const levels: BookLevel[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const priceCell = cell(`${side}_price_${level}`);
    if (priceCell === '') break;
    const price = positiveDecimal(priceCell);
    if (price === undefined) return 'bad_price';
    const size = positiveDecimal(cell(`${side}_size_${level}`));
    if (size === undefined) return 'bad_size';
    levels.push({ price, size });
  }
  return levels;
}

function readTrade(cell: CellOf): HyperliquidTrade | NotTaken {
  const [side, id, time] = [cell('side'), cell('trade_id'), cell('exchange_timestamp')];
  if (!TIME.test(time) || !TRADE_ID.test(id) || (side !== 'buy' && side !== 'sell')) return rejected('unknown_message');
  const price = positiveDecimal(cell('price'));
  if (price === undefined) return rejected('bad_price');
  const size = positiveDecimal(cell('size'));
  if (size === undefined) return rejected('bad_size');
  return { type: 'trade', timeMs: Number(time), id, price, size, aggressorSide: side };
}
